"""A curve over a swept number as SVG, which takes its colours from the page it stands in."""

import html
import math
from collections.abc import Sequence
from typing import NamedTuple

from experiments.runs.presentation import Measure

WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 14, 52
SPAN_OF_LOG = 20.0  # the greatest value over the least, from which on the axis is logarithmic
LETTER = 7.5  # pixels, about
STEPS = 4  # of the upright axis


class Point(NamedTuple):
    """A swept number, as the command line has it, and what was measured there."""

    at: float
    text: str
    measure: Measure


def svg_curve(key: str, points: Sequence[Point]) -> str:
    """The figure; ``points`` in rising order, two at least."""
    xs, (low, high) = _places([point.at for point in points]), _range([point.measure for point in points])

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)

    parts = []
    for step in range(STEPS + 1):
        value = low + (high - low) * step / STEPS
        y = up(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 6, y + 4, points[0].measure.text(value), "end"))
    line = " ".join(f"{x:.1f},{up(point.measure.value):.1f}" for x, point in zip(xs, points, strict=True))
    parts.append(f'<polyline class="curve" points="{line}"/>')
    last = -math.inf
    for x, point in zip(xs, points, strict=True):
        measure = point.measure
        if measure.low is not None and measure.high is not None:
            parts.append(
                f'<line class="bar" x1="{x:.1f}" x2="{x:.1f}" y1="{up(measure.low):.1f}" y2="{up(measure.high):.1f}"/>'
            )
        words = html.escape(f"{key}={point.text}: {measure.words()}")
        parts.append(
            f'<circle class="dot" cx="{x:.1f}" cy="{up(measure.value):.1f}" r="4"><title>{words}</title></circle>'
        )
        half = LETTER * len(point.text) / 2 + 3
        if x - half > last:
            parts.append(_text(x, HEIGHT - BOTTOM + 18, point.text, "middle"))
            last = x + half
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, key, "middle"))
    name = html.escape(f"{points[0].measure.name} over {key}")
    return (
        f'<figure><figcaption>{name}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{name}">'
        f"{''.join(parts)}</svg></figure>"
    )


def _places(values: Sequence[float]) -> list[float]:
    """Where the values stand from left to right."""
    log = values[0] > 0 and values[-1] / values[0] >= SPAN_OF_LOG
    at = [math.log(value) if log else value for value in values]
    room = WIDTH - LEFT - RIGHT - 24
    return [LEFT + 12 + room * (value - at[0]) / (at[-1] - at[0]) for value in at]


def _range(measures: Sequence[Measure]) -> tuple[float, float]:
    """The ends of the upright axis."""
    if measures[0].percent:
        return 0.0, 1.0
    ends = [end for m in measures for end in (m.value, m.low, m.high) if end is not None]
    low, high = min(ends), max(ends)
    pad = 0.08 * (high - low) or abs(high) * 0.1 or 1.0
    return low - pad, high + pad


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'
