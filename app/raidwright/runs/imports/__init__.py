"""Import of other benchmarks' output as runs."""
