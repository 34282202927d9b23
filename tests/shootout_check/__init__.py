"""``make shootout-check``: a shoot-out that repeats a published study, and shoot-outs that are broken off."""
