"""Suites, runs and their comparison."""
