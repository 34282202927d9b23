"""Analysis of plans: exact where possible, else with an uncertainty band. No I/O."""
