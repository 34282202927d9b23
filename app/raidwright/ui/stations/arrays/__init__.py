"""The machine's arrays: state, checks, stopping and removal."""
