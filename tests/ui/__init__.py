"""Tests without a machine."""
