"""Spectrum: the powers of the singular values in source and target vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeAlias

from honem._internal.option_names import option
from honem._internal.validation import is_number
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Array

Spectrum: TypeAlias = float | Sequence[float]
"""The power of the singular values in both factors, or the one in `source` and the one in `target`."""


@dataclass(frozen=True)
class SpectrumPowers:
    """source = U sigma^p and target = V sigma^q, with p = `source` and q = `target`.

    >>> SpectrumPowers.of(0.5), SpectrumPowers.of([1.2, 0.1])
    (SpectrumPowers(source=0.5, target=0.5), SpectrumPowers(source=1.2, target=0.1))
    """

    source: float
    target: float

    @classmethod
    def of(cls, spectrum: Spectrum) -> Self:
        """Return the powers of a number or a pair; raise ParameterError unless they are between 0 and 2."""
        powers = tuple(spectrum) if isinstance(spectrum, Sequence) else (spectrum, spectrum)
        if len(powers) != 2 or not all(is_number(power) and 0 <= power <= 2 for power in powers):
            raise ParameterError(f"{option('spectrum')} must be one or two numbers from 0 to 2, not {spectrum!r}")
        return cls(float(powers[0]), float(powers[1]))

    def likeness_weights(self, singular_values: Array) -> Array:
        """Return sigma^(q - p - 1), which turns source source^T into the likeness of two rows, see `SvdScores`."""
        weights: Array = singular_values ** (self.target - self.source - 1)
        return weights

    def truncation_weights(self, singular_values: Array) -> Array:
        """Return sigma^(1 - p - q), which turns source target^T into U sigma V^T, the truncated matrix."""
        weights: Array = singular_values ** (1 - self.source - self.target)
        return weights
