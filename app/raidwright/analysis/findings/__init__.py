"""Findings to know before a plan is built."""
