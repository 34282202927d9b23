"""Probability that a plan loses an array, or a sector of it, over the years.

``groups`` splits a plan into independent groups of disks, ``chains`` turns a group into a Markov chain of failure
states, ``spares`` adds the spares and the replacements on order, ``markov`` solves it, ``scenarios`` samples the
assumptions, and ``loss`` combines all into a probability with its range.
``simulation`` is a Monte Carlo simulation of the same model, for effects that a chain can't express, and to verify it.
"""
