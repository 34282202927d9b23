"""The Measure station: workloads on an array, live, and the kept runs."""
