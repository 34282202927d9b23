"""Tests, proofs and benchmarks."""
