"""What a cell measured, and what a paper publishes for it: counts first, so that every figure can be derived again."""

import math
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, model_validator

from experiments.analysis.intervals import Z
from gpumcts.match.statistics import wilson

Number = Annotated[float, Field(allow_inf_nan=False)]


class Strict(BaseModel):
    """A part of a results file: unknown keys, other types and missing keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Points(Strict):
    """Games of a match, counted for the configured player; a draw is half a point."""

    kind: Literal["points"] = "points"
    wins: NonNegativeInt
    draws: NonNegativeInt
    losses: NonNegativeInt

    @model_validator(mode="after")
    def _some(self) -> "Points":
        if not self.count:
            raise ValueError("a match of no games measured nothing")
        return self

    @property
    def count(self) -> int:
        """Games."""
        return self.wins + self.draws + self.losses

    @property
    def value(self) -> float:
        """The win rate in [0, 1]."""
        return (self.wins + self.draws / 2) / self.count

    @property
    def variance(self) -> float:
        """Variance of the mean of scores 1, 1/2 and 0, as observed."""
        mean = self.value
        moment = (self.wins + self.draws / 4) / self.count
        return max(moment - mean * mean, 0.0) / self.count

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval; a draw counts as half a success, which errs to the safe side."""
        return wilson(self.wins, self.draws, self.count)


class Share(Strict):
    """How many of ``count`` trials came out one way."""

    kind: Literal["share"] = "share"
    hits: NonNegativeInt
    count: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _within(self) -> "Share":
        if self.hits > self.count:
            raise ValueError("there are more hits than trials")
        return self

    @property
    def value(self) -> float:
        """The share in [0, 1]."""
        return self.hits / self.count

    @property
    def variance(self) -> float:
        """Variance of the share."""
        return self.value * (1 - self.value) / self.count

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval."""
        return wilson(self.hits, 0, self.count)


class Mean(Strict):
    """A mean over independent units (searches, trees, boards): their count, mean and standard deviation (n - 1)."""

    kind: Literal["mean"] = "mean"
    count: Annotated[int, Field(ge=2)]
    mean: Number
    deviation: Annotated[float, Field(ge=0, allow_inf_nan=False)]

    @property
    def value(self) -> float:
        """The mean, in the cell's unit."""
        return self.mean

    @property
    def variance(self) -> float:
        """Variance of the mean."""
        return self.deviation**2 / self.count

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the normal approximation."""
        half = Z * math.sqrt(self.variance)
        return self.mean - half, self.mean + half


class Estimate(Strict):
    """A fitted or resampled figure with its own 95 % interval, which no counts give again: a slope, a median."""

    kind: Literal["estimate"] = "estimate"
    count: Annotated[int, Field(ge=1)]
    number: Number
    low: Number
    high: Number

    @model_validator(mode="after")
    def _ordered(self) -> "Estimate":
        if not self.low <= self.number <= self.high:
            raise ValueError("an estimate lies in its interval")
        return self

    @property
    def value(self) -> float:
        """The figure, in the cell's unit."""
        return self.number

    @property
    def variance(self) -> float:
        """The variance of a normal distribution with an interval as wide."""
        return ((self.high - self.low) / (2 * Z)) ** 2

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
        return self.low, self.high


class OpenEnded(Strict):
    """A figure whose 95 % interval has no known upper end: it lies beyond the most that was drawn.

    number : the figure; None where it was not reached either; low : the lower end
    most : that was drawn
    """

    kind: Literal["open_ended"] = "open_ended"
    count: Annotated[int, Field(ge=1)]
    number: Number | None
    low: Number
    most: Number

    @model_validator(mode="after")
    def _ordered(self) -> "OpenEnded":
        if not self.low <= self.value <= self.most:
            raise ValueError("a figure lies between the lower end of its interval and the most that was drawn")
        return self

    @property
    def value(self) -> float:
        """The figure, in the cell's unit, or the most that was drawn."""
        return self.most if self.number is None else self.number

    @property
    def variance(self) -> float:
        """The variance of a normal distribution whose interval is as wide on both sides as this one's lower side."""
        return ((self.value - self.low) / Z) ** 2

    @property
    def interval(self) -> tuple[float, float]:
        """The known part of its 95 % interval."""
        return self.low, self.most


class Exact(Strict):
    """A value that has no error: a worked figure, a count."""

    kind: Literal["exact"] = "exact"
    number: Number

    @property
    def count(self) -> int:
        """One: the value itself."""
        return 1

    @property
    def value(self) -> float:
        """The value."""
        return self.number

    @property
    def variance(self) -> float:
        """None."""
        return 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The value twice."""
        return self.number, self.number


Quantity = Annotated[Points | Share | Mean | Estimate | OpenEnded | Exact, Field(discriminator="kind")]
AnyQuantity = Points | Share | Mean | Estimate | OpenEnded | Exact


class Measured(Strict):
    """What a run gave: a quantity, and for a claim that compares two, the one that it is compared with.

    unit : ``rate`` (a proportion in [0, 1], shown in per cent) or the name of a unit (``iterations``)
    names : of ``quantity`` and ``other``, where there are two
    """

    unit: str
    quantity: Quantity
    other: Quantity | None = None
    names: tuple[str, str] | None = None

    @model_validator(mode="after")
    def _named(self) -> "Measured":
        if (self.other is None) != (self.names is None):
            raise ValueError("two quantities have two names, one has none")
        return self


class Published(Strict):
    """What a paper says of a cell.

    relation : ``equals`` a printed value; or, of the first quantity, that it is ``below`` or ``above`` the other (or
        ``value``), or ``near`` the other, within the margin; ``unstated`` where no verdict is possible, since the paper
        says nothing of the cell, or prints a figure (``value``) without a condition that decides it
    value : as printed, in the unit of the cell (a rate in [0, 1]); None for a claim in words
    count : the games or runs behind the value, where the paper says so
    half : half the width of the interval that the paper prints, or half a unit of the last printed digit where it
        prints none
    budget : the paper's own, by name (``iterations``, ``games``, ``trees``, ``runs``, ``searches``, ...); that of the
        catalogue, of a cell of which the paper says nothing
    source : where in the paper
    """

    relation: Literal["equals", "below", "above", "near", "unstated"]
    value: Number | None = None
    count: Annotated[int, Field(ge=1)] | None = None
    half: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    budget: dict[str, int | float]
    source: str

    @model_validator(mode="after")
    def _complete(self) -> "Published":
        if self.relation == "equals" and self.value is None:
            raise ValueError("a value that is equalled is printed")
        return self
