"""A curve over a swept number as SVG, which takes its colours from the page it stands in."""

import html
import math
from collections.abc import Sequence
from typing import NamedTuple

from experiments.runs.presentation import Measure

WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 14, 52
PAD = 12  # beside the first point and the last
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
    places, _ = places_across([point.at for point in points])
    xs = [LEFT + PAD + (WIDTH - LEFT - RIGHT - 2 * PAD) * place for place in places]
    low, high = _range([point.measure for point in points])
    labels = labels_that_fit(xs, [point.text for point in points], LETTER)

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
    for x, point, label in zip(xs, points, labels, strict=True):
        measure = point.measure
        if measure.low is not None and measure.high is not None:
            parts.append(
                f'<line class="bar" x1="{x:.1f}" x2="{x:.1f}" y1="{up(measure.low):.1f}" y2="{up(measure.high):.1f}"/>'
            )
        words = html.escape(f"{key}={point.text}: {measure.words()}")
        parts.append(
            f'<circle class="dot" cx="{x:.1f}" cy="{up(measure.value):.1f}" r="4"><title>{words}</title></circle>'
        )
        if label:
            parts.append(_text(x, HEIGHT - BOTTOM + 18, label, "middle"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, key, "middle"))
    name = html.escape(f"{points[0].measure.name} over {key}")
    return (
        f'<figure><figcaption>{name}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{name}">'
        f"{''.join(parts)}</svg></figure>"
    )


def places_across(values: Sequence[float]) -> tuple[list[float], bool]:
    """Where rising values stand from left (0) to right (1), and whether the axis is logarithmic."""
    log = values[0] > 0 and values[-1] / values[0] >= SPAN_OF_LOG
    at = [math.log(value) if log else value for value in values]
    return [(value - at[0]) / (at[-1] - at[0]) for value in at], log


def labels_that_fit(xs: Sequence[float], labels: Sequence[str], letter: float) -> list[str]:
    """The labels, those empty that would touch one before; ``letter`` is a letter's width, in the unit of ``xs``."""
    found, last = [], -math.inf
    for x, label in zip(xs, labels, strict=True):
        half = letter * (len(label) + 1) / 2
        fits = x - half >= last
        found.append(label if fits else "")
        last = x + half if fits else last
    return found


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
