"""Runs: workloads measured on a target, their storage, import and comparison."""
