"""Solution of Markov chains: the probability of loss by any time, and the mean time to it, to full relative precision.

No subtraction of nearly equal numbers occurs. The transition matrix over a short step is a series of
non-negative matrices (uniformisation; its polynomial as Paterson and Stockmeyer have it, SIAM J. Comput. 1973), and is
squared up to the requested time, its rows renormalised on the way, so that a probability of 1e-12 is as precise as
one of 0.5. The mean time comes from elimination without subtraction (Grassmann, Taksar and Heyman, 1985), or, for
several groups together, from the integral of the product of their survivals over doubling steps (Gauss-Legendre with
16 nodes per step).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .chains import Chain

Array = NDArray[np.float64]
_POWERS = 4  # of the series: I, A, A², A³, then A⁴ by Horner's rule
_COEFFICIENTS = np.array([1 / math.factorial(term) for term in range(24)]).reshape(-1, _POWERS)
_LAST = 1 / math.factorial(24)
_STEP = 2.0  # of the mean time between any two events: the truncation error of e² is 1e-18 of it
_UNSCALED = 3  # squarings between renormalisations
_CACHED_BYTES = 2**18  # of matrices processed together, so that they stay in the CPU cache
_FIRST_STEP = 0.125  # likewise, of the first step of an integral
_NODES, _NODE_WEIGHTS = (array / 2 for array in np.polynomial.legendre.leggauss(16))
_NODES = _NODES + 0.5


Figure = float | Array


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of a chain, per hour: ``failure`` of a disk of weight 1, times ``times`` while others have failed.

    ``repair[k]`` is the rate at which each of k failed disks is restored (the last entry serves all larger k); an
    infinite one means that no disk is ever missing. With spares it is that of rebuilds alone; ``arrival`` is then the
    rate at which each replacement on order arrives, ``elsewhere`` that of failures in groups that share the spares.
    Sectors are also lost if a disk with their last copy can't read them: ``unreadable`` is the mean number of
    such sectors on a disk's share when it becomes the last copy, ``spoiling`` the rate of new ones while it is.
    Each is a number, or an array with a value per chain.
    """

    failure: Figure
    repair: tuple[Figure, ...]
    times: Figure = 1.0
    unreadable: Figure = 0.0
    spoiling: Figure = 0.0
    arrival: Figure = 0.0
    elsewhere: Figure = 0.0

    @property
    def of_arrays(self) -> Rates:
        """Return the same with all sectors readable: only the loss of the array as a whole."""
        return replace(self, unreadable=0.0, spoiling=0.0)

    def table(self, most_failed: int) -> Array:
        """Return the figures as rows, ``repair`` for 1 to ``most_failed`` failures last; a column per chain."""
        figures = (self.failure, self.times, self.unreadable, self.spoiling, self.arrival, self.elsewhere)
        repair = (self.repair[min(k, len(self.repair) - 1)] for k in range(1, most_failed + 1))
        rows = (*figures, *repair)
        table = np.empty((len(rows), max(map(np.size, rows))))
        for place, row in enumerate(rows):
            table[place] = row
        return table


def losses(chain: Chain, rates: Sequence[Rates], hours: float, steps: int = 1) -> Array:
    """Return the probability of loss at each of ``steps`` equal steps up to ``hours``: shape (chains, steps)."""
    matrix = _after(_generators(chain, rates), hours / steps)
    state = np.zeros((len(matrix), 1, chain.states + 1))
    state[:, 0, 0] = 1.0
    lost = np.empty((len(matrix), steps))
    for step in range(steps):
        state = state @ matrix
        lost[:, step] = state[:, 0, -1]
    return np.minimum(lost, 1.0)


def mean_hours_to_loss(groups: Sequence[tuple[Chain, Rates, int]]) -> float:
    """Return the mean time to the first loss among independent groups, each with its multiplicity.

    Infinite if nothing can be lost.
    """
    groups = [(chain, rates, count) for chain, rates, count in groups if np.any(rates.failure)]
    if not groups:
        return math.inf
    if len(groups) == 1 and groups[0][2] == 1:
        chain, rates, _ = groups[0]
        return _by_elimination(_generators(chain, [rates])[0])
    return _by_integration(groups)


def _generators(chain: Chain, rates: Sequence[Rates]) -> Array:
    """Return rates between states, (chains, states + 1, states + 1), with zeros on the diagonal."""

    failures, repairs = chain.failures, chain.repairs
    table = np.concatenate([one.table(chain.most_failed) for one in rates], axis=1)[:, :, None]
    failure, times, unreadable, spoiling, arrival, elsewhere = table[:6]
    failure = np.where(chain.failed[failures.origin], failure * times, failure) * failures.ways
    repair = table[6:, :, 0].T
    exposed = np.append(chain.exposed, 0.0)
    newly = np.maximum(0.0, exposed[failures.to] - exposed[failures.origin])
    spoiled = -np.expm1(-unreadable * newly)
    stays = np.where(failures.to == chain.states, 1.0, 1 - spoiled)
    at_once = np.isinf(repair).any(axis=1, keepdims=True)  # immediate restoration: only unreadable sectors matter
    stays = np.where(at_once & (failures.to < chain.states), 0.0, stays)
    repair = np.where(at_once, 0.0, repair)
    matrices = np.zeros((len(failure), chain.states + 1, chain.states + 1))
    matrices[:, failures.origin, failures.to] = failure * stays
    matrices[:, repairs.origin, repairs.to] = repair[:, chain.failed[repairs.origin] - 1] * repairs.ways
    for moves, rate in ((chain.arrivals, arrival), (chain.elsewhere, elsewhere)):
        matrices[:, moves.origin, moves.to] = rate * moves.ways
    matrices[:, :-1, -1] += spoiling * chain.exposed
    np.add.at(matrices[:, :, -1].T, failures.origin, (failure * spoiled).T)
    return matrices


def _after(matrices: Array, hours: float) -> Array:
    """Return transition probabilities over ``hours``, of the same shape."""
    after = np.empty_like(matrices)
    block = max(1, _CACHED_BYTES // matrices[0].nbytes)
    for first in range(0, len(matrices), block):
        after[first : first + block] = _block_after(matrices[first : first + block], hours)
    return after


def _block_after(matrices: Array, hours: float) -> Array:
    doublings = _doublings(float(_sums(matrices).max()) * hours)
    matrix = _short(matrices, hours / 2**doublings)
    for doubling in range(1, doublings + 1):
        matrix = matrix @ matrix
        if doubling % _UNSCALED == 0 or doubling == doublings:
            _stochastic(matrix)
    return matrix


def _doublings(events: float) -> int:
    return max(0, math.ceil(math.log2(events / _STEP))) if events > _STEP else 0


def _short(matrices: Array, hours: float | Array) -> Array:
    """Return transition probabilities over ``hours`` so short that few events happen."""
    out = _sums(matrices)
    stepped = matrices * hours
    _diagonal(stepped)[...] += (out.max(axis=-1, keepdims=True) - out) * np.squeeze(hours)[..., None]
    powers = np.empty((_POWERS - 1, *stepped.shape))
    powers[0] = stepped
    np.matmul(stepped, stepped, out=powers[1])
    np.matmul(powers[1], stepped, out=powers[2])
    fourth = powers[1] @ powers[1]
    matrix = fourth * _LAST
    for number, (of_one, *of_powers) in reversed(list(enumerate(_COEFFICIENTS))):
        matrix += (np.array(of_powers) @ powers.reshape(_POWERS - 1, -1)).reshape(matrix.shape)
        _diagonal(matrix)[...] += of_one
        if number:
            matrix = fourth @ matrix
    return _stochastic(matrix)


def _stochastic(matrix: Array) -> Array:
    """Return ``matrix`` itself, each row normalised to a sum of 1."""
    matrix /= _sums(matrix)[..., None]
    return matrix


def _sums(matrices: Array) -> Array:
    """Return the row sums; numpy's own sum is several times slower for short rows."""
    sums: Array = np.einsum("...jk->...j", matrices)
    return sums


def _diagonal(matrices: Array) -> Array:
    """Return a writable view of each matrix's diagonal."""
    diagonal: Array = np.einsum("...jj->...j", matrices)
    return diagonal


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
    width = _FIRST_STEP / max(float(_sums(matrix).max()) for matrix in matrices)
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
        if not first:  # the second step is as long as the first, and each later one as all before together
            steps = [_stochastic(step @ step) for step in steps]
            inside = [_stochastic(one @ one) for one in inside]
            width *= 2
        first = False
    return math.inf


def log_survival(states: Array) -> Array:
    """Return the logarithm of the probability of no loss, from state probabilities of which the last is the loss."""
    lost = states[..., -1]
    with np.errstate(divide="ignore"):
        kept = np.log(states[..., :-1].sum(axis=-1))
    return np.where(lost < 0.5, np.log1p(-np.minimum(lost, 0.5)), kept)
