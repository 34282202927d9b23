"""``make shootout-check``: a shoot-out as a published study was, and three that are cut off in the middle."""
