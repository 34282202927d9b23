"""Questions of analysis that each layer answers in its own way: what it survives, what it could become."""
