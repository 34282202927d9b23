"""Runs in words: workloads, figures, comparisons, sweeps and shoot-outs."""
