"""Chains solved: the probability of loss by any time, and the mean time to it, to full precision however small.

Nothing is ever subtracted from something of its own size. The transition matrix over a short step is a series of
non-negative matrices (uniformisation), and is squared up to the time wanted, its rows brought back to 1 each time, so
that a probability of 1e-12 keeps its digits as one of 0.5 does. The mean time comes from elimination without
subtraction (Grassmann, Taksar and Heyman, 1985), or, for several groups together, from the integral of the product of
their survivals over steps that double (Gauss-Legendre with 16 nodes a step).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .chains import Chain

Array = NDArray[np.float64]
_TERMS = 12
_STEP = 0.125  # of the mean time between any two events
_NODES, _NODE_WEIGHTS = (array / 2 for array in np.polynomial.legendre.leggauss(16))
_NODES = _NODES + 0.5


@dataclass(frozen=True, slots=True)
class Rates:
    """What drives a chain, per hour: ``failure`` of a disk of weight 1, ``times`` as much while others have failed.

    ``repair[k]`` is the rate at which each of k failed disks comes back (the last entry serves all larger k); an
    infinite one means that no disk is ever missing.
    Sectors are lost too where a disk that holds their last copy can't read them: ``unreadable`` is the mean number of
    such places on a disk's share when it becomes the last copy, ``spoiling`` the rate of new ones while it is.
    """

    failure: float
    repair: tuple[float, ...]
    times: float = 1.0
    unreadable: float = 0.0
    spoiling: float = 0.0

    @property
    def of_arrays(self) -> Rates:
        """The same with all sectors readable: what loses the array as a whole."""
        return Rates(self.failure, self.repair, self.times)


def losses(chain: Chain, rates: Sequence[Rates], hours: float, steps: int = 1) -> Array:
    """The probability of loss at each of ``steps`` equal steps up to ``hours``: shape (rates, steps)."""
    matrix = _after(_generators(chain, rates), hours / steps)
    state = np.zeros((len(rates), 1, chain.states + 1))
    state[:, 0, 0] = 1.0
    lost = np.empty((len(rates), steps))
    for step in range(steps):
        state = state @ matrix
        lost[:, step] = state[:, 0, -1]
    return np.minimum(lost, 1.0)


def mean_hours_to_loss(groups: Sequence[tuple[Chain, Rates, int]]) -> float:
    """The mean time to the first loss among independent groups, each there as often as its number says.

    Infinite where nothing can be lost.
    """
    if any(rates.failure == 0 for _, rates, _ in groups):
        groups = [(chain, rates, count) for chain, rates, count in groups if rates.failure]
    if not groups:
        return math.inf
    if len(groups) == 1 and groups[0][2] == 1:
        chain, rates, _ = groups[0]
        return _by_elimination(_generators(chain, [rates])[0])
    return _by_integration(groups)


def _generators(chain: Chain, rates: Sequence[Rates]) -> Array:
    """Rates between states, (rates, states + 1, states + 1), with zeros on the diagonal."""
    failure = np.array([[one.failure, one.failure * one.times] for one in rates])
    failure = failure[:, np.minimum(chain.failed[chain.up_from], 1)] * chain.up_ways
    repair = np.array(
        [[one.repair[min(k, len(one.repair) - 1)] for k in range(1, chain.most_failed + 1)] for one in rates]
    )
    unreadable = np.array([[one.unreadable] for one in rates])
    exposed = np.append(chain.exposed, 0.0)
    spoiled = -np.expm1(-unreadable * np.maximum(0.0, exposed[chain.up_to] - exposed[chain.up_from]))
    stays = np.where(chain.up_to == chain.states, 1.0, 1 - spoiled)
    at_once = np.isinf(repair).any(axis=1, keepdims=True)  # what is back at once leaves no trace but unreadable places
    stays = np.where(at_once & (chain.up_to < chain.states), 0.0, stays)
    repair = np.where(at_once, 0.0, repair)
    matrices = np.zeros((len(rates), chain.states + 1, chain.states + 1))
    matrices[:, chain.up_from, chain.up_to] = failure * stays
    matrices[:, chain.down_from, chain.down_to] = repair[:, chain.failed[chain.down_from] - 1] * chain.down_disks
    matrices[:, :-1, -1] += np.array([[one.spoiling] for one in rates]) * chain.exposed
    np.add.at(matrices[:, :, -1].T, chain.up_from, (failure * spoiled).T)
    return matrices


def _after(matrices: Array, hours: float) -> Array:
    """What the state is after ``hours``: transition probabilities of the same shape."""
    out = matrices.sum(axis=-1)
    fastest = out.max(axis=-1)
    doublings = _doublings(float(fastest.max()) * hours)
    matrix = _short(matrices, hours / 2**doublings)
    for _ in range(doublings):
        matrix = _stochastic(matrix @ matrix)
    return matrix


def _doublings(events: float) -> int:
    return max(0, math.ceil(math.log2(events / _STEP))) if events > _STEP else 0


def _short(matrices: Array, hours: float | Array) -> Array:
    """Transition probabilities over ``hours`` so short that few events happen."""
    out = matrices.sum(axis=-1)
    fastest = out.max(axis=-1, keepdims=True)
    identity = np.eye(matrices.shape[-1])
    stepped = (matrices + identity * (fastest - out)[..., None]) * hours
    matrix = np.broadcast_to(identity, stepped.shape)
    for term in range(_TERMS, 0, -1):
        matrix = identity + stepped @ matrix / term
    return _stochastic(matrix)


def _stochastic(matrix: Array) -> Array:
    whole: Array = matrix / matrix.sum(axis=-1, keepdims=True)
    return whole


def _by_elimination(matrix: Array) -> float:
    rates, times = matrix.copy(), np.ones(len(matrix) - 1)
    for state in range(len(times) - 1, 0, -1):
        if not rates[:state, state].any():
            continue  # never reached
        out = rates[state, :state].sum() + rates[state, -1]
        share = rates[:state, state] / out
        times[:state] += share * times[state]
        rates[:state, :state] += np.outer(share, rates[state, :state])
        rates[:state, -1] += share * rates[state, -1]
    return float(times[0] / rates[0, -1]) if rates[0, -1] else math.inf


def _by_integration(groups: Sequence[tuple[Chain, Rates, int]]) -> float:
    matrices = [_generators(chain, [rates]) for chain, rates, _ in groups]
    counts = [count for _, _, count in groups]
    width = _STEP / max(float(matrix.sum(axis=-1).max()) for matrix in matrices)
    steps = [_short(matrix, width) for matrix in matrices]
    inside = [_short(matrix, (width * _NODES)[:, None, None]) for matrix in matrices]
    states = [step[:, :1, :] * 0 for step in steps]
    for state in states:
        state[0, 0, 0] = 1.0
    total, first = 0.0, True
    while math.isfinite(width):
        survival = np.exp(sum(n * log_survival((s @ i)[:, 0]) for n, s, i in zip(counts, states, inside, strict=True)))
        part = width * float(_NODE_WEIGHTS @ survival)
        total += part
        if part < 1e-17 * total:
            return total
        states = [_stochastic(state @ step) for state, step in zip(states, steps, strict=True)]
        if not first:  # the second step is as wide as the first, and each one after it as all before together
            steps = [_stochastic(step @ step) for step in steps]
            inside = [_stochastic(one @ one) for one in inside]
            width *= 2
        first = False
    return math.inf


def log_survival(states: Array) -> Array:
    """The logarithm of the probability of no loss, from the probabilities of states whose last is the loss."""
    lost = states[..., -1]
    with np.errstate(divide="ignore"):
        kept = np.log(states[..., :-1].sum(axis=-1))
    return np.where(lost < 0.5, np.log1p(-np.minimum(lost, 0.5)), kept)
