"""Where every chunk, copy and parity block of a plan lies, and what an access touches."""
