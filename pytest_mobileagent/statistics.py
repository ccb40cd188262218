"""Statistics with uncertainty: intervals of rates and means, Student's t, pass@k and pass^k.

Everything is deterministic, and the tests compare it with scipy.

The module also computes sums, means and quotients of results in which values may be None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")
Part = tuple[tuple[float, float], ...]  # a distribution: values and their chances
# 95 % of a normal distribution lie within this many standard deviations.
Z = NormalDist().inv_cdf(0.975)
_TERMS = 10_000
_TINY = 1e-300
_PRECISION = 1e-15
_HALVINGS = 200
_NEWTON = 30


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval, at 95 % unless stated otherwise; all None if undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def to_json(self) -> dict[str, float | None]:
        """Return the estimate as plain data."""
        return {"value": self.value, "low": self.low, "high": self.high}

    def in_words(self, form: str = "{:.2f}") -> str:
        """Return the number and its interval, as in "0.88 (0.84-0.91)"; "n/a" if undefined."""
        if self.value is None:
            return "n/a"
        value = form.format(self.value)
        if self.low is None or self.high is None:
            return value
        between = "-" if self.low >= 0 else " to "  # "-" would look like a sign
        return f"{value} ({form.format(self.low)}{between}{form.format(self.high)})"


def proportion(part: float, whole: int) -> Estimate:
    """Return a proportion with Wilson's score interval (1927), without continuity correction.

    `part` may be a sum of fractions, e.g. of tasks that passed in half of their epochs.
    """
    if not whole:
        return Estimate(None)
    share, z2 = part / whole, Z * Z
    middle = (share + z2 / (2 * whole)) / (1 + z2 / whole)
    spread = share * (1 - share) / whole + z2 / (4 * whole**2)
    half = Z * math.sqrt(spread) / (1 + z2 / whole)
    low = 0.0 if part == 0 else max(0.0, middle - half)
    high = 1.0 if part == whole else min(1.0, middle + half)
    return Estimate(share, low, high)


def mean(values: Sequence[float], level: float = 0.95) -> Estimate:
    """Return the mean of independent values, with Student's t interval for two or more."""
    if len(values) < 2:
        return Estimate(values[0] if values else None)
    middle, error = fmean(values), standard_error(values)
    assert error is not None
    half = student_quantile((1 + level) / 2, len(values) - 1) * error
    return Estimate(middle, middle - half, middle + half)


def standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of the mean (ddof 1); None below two values."""
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile of sorted numbers by linear interpolation (R's type 7)."""
    place = share * (len(ordered) - 1)
    below, above = math.floor(place), math.ceil(place)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def pass_at(k: int, successes: int, trials: int) -> float | None:
    """Return pass@k: the probability that at least one of k trials succeeds.

    The unbiased estimate of Chen et al., arXiv 2107.03374, eq. 1. None with fewer than k trials.
    """
    return 1 - math.comb(trials - successes, k) / math.comb(trials, k) if trials >= k else None


def pass_all(k: int, successes: int, trials: int) -> float | None:
    """Return pass^k: the probability that all of k trials succeed.

    The unbiased estimate of Yao et al., arXiv 2406.12045, section 3. None with fewer than k trials.
    """
    return math.comb(successes, k) / math.comb(trials, k) if trials >= k else None


def student_cdf(t: float, degrees: float) -> float:
    """Return the probability that a value of Student's t distribution is at most `t`."""
    square = t * t
    if square < degrees:  # otherwise values near 0 would lose precision
        inside = _incomplete_beta(square / (degrees + square), 0.5, degrees / 2) / 2
        return 0.5 + math.copysign(inside, t)
    tail = _incomplete_beta(degrees / (degrees + square), degrees / 2, 0.5) / 2
    return 1 - tail if t > 0 else tail


def student_quantile(share: float, degrees: float) -> float:
    """Return the quantile of Student's t distribution for the probability `share`."""
    if share < 0.5:
        return -student_quantile(1 - share, degrees)
    high = 1.0
    while student_cdf(high, degrees) < share:
        high *= 2
    low = 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        low, high = (middle, high) if student_cdf(middle, degrees) < share else (low, middle)
    return high


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the continued fraction converges slowly
        return 1 - _incomplete_beta(1 - x, b, a)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logarithm + a * math.log(x) + b * math.log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of I_x(a, b), by Lentz's method as modified by Thompson."""
    value = above = _TINY
    below = 0.0
    for n in range(_TERMS):
        m = n // 2
        numerator = -(a + m) * (a + b + m) if n % 2 else m * (b - m)
        term = numerator * x / ((a + n - 1) * (a + n)) if n else 1.0
        below = 1 / _off_zero(1 + term * below)
        above = _off_zero(1 + term / above)
        value *= above * below
        if n and abs(above * below - 1) < _PRECISION:
            break
    return value


def _off_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY


def hypergeometric(successes: int, drawn: int, left: int) -> Part:
    """Return the distribution of the successes among `drawn` things, if `left` are not drawn."""
    whole = math.comb(drawn + left, successes)
    return tuple(
        (float(k), math.comb(drawn, k) * math.comb(left, successes - k) / whole)
        for k in range(max(0, successes - left), min(drawn, successes) + 1)
    )


def lower_tail(parts: Sequence[tuple[Part, int]], value: float, step: float) -> float:
    """Return P(X <= value) below the mean of X, the sum of independent parts, each so many times.

    The saddlepoint approximation of Lugannani and Rice with the second continuity correction of
    Daniels (International Statistical Review 55, 1987) for values that are a `step` apart; exact
    for the lowest value. The relative error is a few per cent, however skewed X is.
    """
    lowest = math.fsum(count * min(part)[0] for part, count in parts)
    if value < lowest + step / 2 or value <= lowest:
        return math.exp(math.fsum(count * math.log(min(part)[1]) for part, count in parts))
    place = value + step / 2
    low, high = -1.0, 0.0
    while _cumulants(parts, low)[1] > place:
        low, high = 2 * low, low
        if low < -1e9:  # the values next to the lowest are not distinguished
            break
    s = low
    for _ in range(_NEWTON):
        whole, middle, spread = _cumulants(parts, s)
        low, high = (s, high) if middle < place else (low, s)
        if abs(middle - place) < 1e-9 or not spread:
            break
        s -= (middle - place) / spread
        s = s if low < s < high else (low + high) / 2
    distance = -math.sqrt(max(0.0, 2 * (s * place - whole)))
    tilt = (2 * math.sinh(s * step / 2) / step if step else s) * math.sqrt(spread)
    if distance > -0.1 or not tilt:
        return 0.5
    normal, difference = NormalDist(), 1 / distance - 1 / tilt
    return min(1.0, max(0.0, normal.cdf(distance) + normal.pdf(distance) * difference))


def _cumulants(parts: Sequence[tuple[Part, int]], s: float) -> tuple[float, float, float]:
    """Return the cumulant generating function of a sum at s <= 0, and its first two derivatives."""
    found = [0.0, 0.0, 0.0]
    for part, count in parts:
        least = part[0][0] if s == 0 else min(part)[0]
        tilted = [(v, chance * math.exp(s * (v - least))) for v, chance in part]
        mass = math.fsum(chance for _, chance in tilted)
        middle = math.fsum(v * chance for v, chance in tilted) / mass
        spread = math.fsum((v - middle) ** 2 * chance for v, chance in tilted) / mass
        of_part = (math.log(mass) + s * least, middle, spread)
        found = [each + count * own for each, own in zip(found, of_part, strict=True)]
    return found[0], found[1], found[2]


def ratio(over: float | None, under: float | None) -> float | None:
    """Return a quotient; None if it is undefined or too large for a float."""
    try:
        return over / under if over is not None and under else None
    except OverflowError:
        return None


def mean_of(results: Iterable[T], value: Callable[[T], float | None]) -> float | None:
    """Return the mean of the known values."""
    values = [number for number in map(value, results) if number is not None]
    return ratio(_finite(values), len(values))


def sum_of(results: Iterable[T], value: Callable[[T], float | None]) -> float | None:
    """Return the sum of the known values; None if there are none."""
    return _finite([number for number in map(value, results) if number is not None])


def quotient_of(
    results: Sequence[T], over: Callable[[T], float | None], under: Callable[[T], float | None]
) -> float | None:
    """Return the quotient of two sums over the results for which both values are known."""
    pairs = zip(map(over, results), map(under, results), strict=True)
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return ratio(_finite([a for a, _ in known]), _finite([b for _, b in known]))


def _finite(values: Sequence[float]) -> float | None:
    """Return the sum; None if there are no values or it is too large for a float."""
    try:
        return whole if values and math.isfinite(whole := sum(values)) else None
    except OverflowError:
        return None
