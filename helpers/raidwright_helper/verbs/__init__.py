"""The verbs: what each takes, what polkit is asked, and which act runs."""
