"""The helper's privileged operations, run once polkit has authorised them."""
