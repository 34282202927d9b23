"""Commands on what was measured, and on how it compares."""
