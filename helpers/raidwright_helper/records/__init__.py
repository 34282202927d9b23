"""The helper's persistent records."""
