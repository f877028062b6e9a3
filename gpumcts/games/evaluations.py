"""Refuses options that need an evaluation where a game has none. Plain Python."""

from typing import Any

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games.contract import has_evaluation
from gpumcts.options import name_of


def check_evaluation(game: Any, where: str) -> None:
    """Refuse ``where`` (``player=pvs``) on a game, as it travels, whose positions would all be worth the same.

    Raises BadInput.
    """
    if not has_evaluation(game):
        how = f"write one, @contract.evaluation.implements({title(game)})"
        raise BadInput(f"{where}: game={name_of(game)} has no evaluation: {how}")
