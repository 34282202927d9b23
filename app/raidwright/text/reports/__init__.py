"""Reports as whole pages of HTML: of a plan, and of a shoot-out."""
