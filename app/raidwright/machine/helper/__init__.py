"""The privileged helper from its client's side: what is asked, what comes back."""
