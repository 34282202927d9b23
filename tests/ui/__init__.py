"""Tests that need nothing but the code."""
