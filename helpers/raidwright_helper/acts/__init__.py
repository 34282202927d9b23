"""What the helper does, once it is permitted."""
