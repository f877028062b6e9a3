"""The overrides of a command line: which are refused that Hydra would take, what they set, which of them are swept."""

import math
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any, cast

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf

from experiments.app.error_messages import choices, command_of, name_of_choice, no_such_choice, not_understood
from experiments.config.choosers import by, choosers
from experiments.config.schema import Plain
from gpumcts.errors import BadInput

EXPERIMENT = "experiment"
OBJECTIVE = "objective"
LEFT_OUT = "hydra.sweeper.left_out"
LEFT_OUT_GROUPS = (EXPERIMENT, "preset", "cell")  # of which nothing is chosen where nobody says so
FOLDERS = ("hydra.run.dir", "hydra.sweep.dir", "hydra.sweep.subdir")
GROUPS_OF_HYDRA = ("hydra/launcher", "hydra/sweeper", "hydra/sweeper/sampler")
INNER = 0.618  # of an interval: ends may be refused that are never drawn, and a middle may be whole
MAX_VALUES = 1_000_000  # of a range
MAX_KEY = 250  # letters; file systems take names of 255 bytes
FLAGS_OF_A_SWEEP = ("-m", "--multirun")
FLAGS_OF_A_FOLDER = ("-cd", "--config-dir")


def for_hydra(words: Sequence[str]) -> list[str]:
    """A command line as Hydra reads it: ``-m`` and ``-cd FOLDER`` in front, wherever they stand, some values in quotes.

    Folders of runs are named by options, as ``othello_uct_minimax_depth=2``, and those of sweeps by anyone, as
    ``Läufe``; they are given as they were printed.
    """
    sweep: list[str] = []
    folder: list[str] = []
    others: list[str] = []
    behind = ""
    for word in words:
        if behind in FLAGS_OF_A_FOLDER or word in FLAGS_OF_A_FOLDER or word.startswith("--config-dir="):
            folder.append(word)
        elif word in FLAGS_OF_A_SWEEP:
            sweep = ["-m"]
        else:
            others.append(_with_quotes(word))
        behind = "" if behind in FLAGS_OF_A_FOLDER else word
    return [*sweep, *folder, *others]


def _with_quotes(word: str) -> str:
    """``key=a=b`` as ``key="a=b"``, and letters beyond ASCII so; what else has a meaning to Hydra stays as it is."""
    key, _, value = word.partition("=")
    plain = ("=" in value or not value.isascii()) and not value.startswith("=") and not set(value) & set("'\"[]{}(),\\")
    return f'{key}="{value}"' if plain and not word.startswith("-") else word


def read_overrides(parser: OverridesParser, words: Sequence[str]) -> list[Override]:
    """The overrides of a command line. Raises BadInput for a number of more digits than Python reads, of any key."""
    given = []
    for word in words:
        try:
            given += parser.parse_overrides([word])
        except ValueError:  # of Python's int; Hydra's own errors are none
            key = word.partition("=")[0]
            raise BadInput(f"{key}: a number has at most 4,300 digits; quote text twice: '{key}=\"...\"'") from None
    return given


def check_overrides(given: Sequence[Override]) -> None:
    """Refuse what Hydra would answer with a traceback, or take for something else: an empty folder for the current."""
    for override in given:
        if not override.key_or_group:
            raise BadInput(not_understood(str(override.input_line)))
        if len(override.key_or_group) > MAX_KEY:  # Hydra looks for files of that name
            raise BadInput(f"{override.key_or_group}: unknown key")
        value = None if override.is_delete() or override.is_sweep_override() else override.value()
        if choices(override.key_or_group):
            _check_no_null(override)
            _check_choice(override, value)
            _check_no_path(override, value)
        _check_choice_of_hydra(override, value)
        _check_range(override)
        _check_interval(override)
        if override.key_or_group == OBJECTIVE and override.is_sweep_override():
            raise BadInput(f"{override.input_line}: a sweep has one objective, a number of the summary")
        if override.key_or_group == LEFT_OUT:
            raise BadInput(f"{LEFT_OUT}: the command says itself which combinations repeat others; leave it out")
        if override.key_or_group in FOLDERS and value in (None, "") and not override.is_sweep_override():
            raise BadInput(f"{override.key_or_group}: must be the name of a folder; a dot is the current one")
        if override.key_or_group == "hydra.job.chdir" and value not in (None, False):
            raise BadInput(f"{override.input_line}: paths are those of the current folder; leave it out")
        if override.key_or_group == "hydra.job.name":
            raise BadInput(f"{override.input_line}: the command itself is named there; leave it out")


def quoted(text: str) -> str:
    """A text as a value of an override, in quotes."""
    return "'" + re.sub(r"(\\*)'", r"\1\1\'", text) + "'"


def check_place(given: Sequence[Override], of_a_sweep: bool) -> None:
    """Refuse the folder of a run for a sweep, and of a sweep for a run: Hydra would put results elsewhere."""
    key, other = ("hydra.run.dir", "hydra.sweep.dir") if of_a_sweep else ("hydra.sweep.dir", "hydra.run.dir")
    for override in given:
        if override.key_or_group == key:
            one, two = ("run", "sweep") if of_a_sweep else ("sweep", "run")
            raise BadInput(f"{override.input_line}: that is for a {one}; the folder of a {two} is {other}")


def _check_range(override: Override) -> None:
    """Refuse a range of step 0, at which Python fails, one without end, and one of more values than memory has."""
    if not override.is_range_sweep():
        return
    found: Any = override.value()
    ends = [end or 0.0 for end in (found.start, found.stop)]
    if not found.step or not all(map(math.isfinite, (*ends, found.step))):
        raise BadInput(f"{override.input_line}: a range has finite ends and a finite step that is not 0")
    if (ends[1] - ends[0]) / found.step > MAX_VALUES:
        raise BadInput(f"{override.input_line}: a range has at most {MAX_VALUES:,} values")


def _check_interval(override: Override) -> None:
    """Refuse an interval from which a sweeper could draw nothing."""
    if not override.is_interval_sweep():
        return
    found: Any = override.value()
    if not -math.inf < found.start <= found.end < math.inf:
        raise BadInput(f"{override.input_line}: an interval has finite ends, the lower one first")


def _check_no_null(override: Override) -> None:
    """Refuse null for a choice, which Hydra has for a group that is left out, and takes from nobody."""
    swept = override.sweep_iterator() if override.is_choice_sweep() else []
    if override.is_delete() or None not in (list(swept) if override.is_sweep_override() else [override.value()]):
        return
    if override.key_or_group in LEFT_OUT_GROUPS:
        raise BadInput(f"{override.get_key_element()}=null: leave it out, and nothing is chosen")
    raise BadInput(no_such_choice(override.key_or_group, "null"))


def _check_choice(override: Override, value: Any) -> None:
    """Refuse what is no name of a choice, and several names, of which Hydra would take the last for some keys."""
    if isinstance(value, list):
        key, text = override.get_key_element(), override.get_value_element_as_str()
        several = ",".join(map(str, value))
        raise BadInput(f"{key}={text} names several choices: name one, or add -m to run them all: -m {key}={several}")
    if isinstance(value, bool | int | float | dict):
        raise BadInput(no_such_choice(override.key_or_group, override.get_value_element_as_str()))


def _check_choice_of_hydra(override: Override, value: Any) -> None:
    """Refuse a launcher or a sweeper that is given as a key: it would stand in the place of its own keys."""
    group = override.key_or_group.replace(".", "/")
    if "." in override.key_or_group and group in GROUPS_OF_HYDRA and not isinstance(value, dict):
        name = value if isinstance(value, str) else "NAME"
        raise BadInput(f"{override.input_line}: choose it as {group}={name}")


def _check_no_path(override: Override, value: Any) -> None:
    """Refuse a choice by the path of its file, which Hydra would take for another group's."""
    group, key = override.key_or_group, override.get_key_element()
    for choice in override.sweep_string_iterator() if override.is_choice_sweep() else [value]:
        if not isinstance(choice, str) or not {".", ".."} & set(choice.split("/")):
            continue
        name = choice.rpartition("/")[2].removesuffix(".yaml")
        if name not in choices(group):
            raise BadInput(no_such_choice(group, choice))
        raise BadInput(f"{key}={choice} is a path; a choice is given by its name: {key}={name}")


def check_deletions(given: Sequence[Override], missing: KeyError) -> None:
    """Refuse what a command line takes away (``~game``), where a check finds a key ``missing``."""
    taken = [str(override.input_line) for override in given if override.is_delete()]
    if taken:
        raise BadInput(f"{' '.join(taken)}: the command needs {missing.args[0]}; leave {taken[0]} out") from None


def check_experiment(given: Sequence[Override], command: str) -> None:
    """Refuse an experiment that is for another command, before its keys are found to be unknown here."""
    for override in given:
        if override.key_or_group != EXPERIMENT or override.is_delete():
            continue
        swept = override.is_choice_sweep()
        for experiment in override.sweep_string_iterator() if swept else [str(override.value())]:
            own = command_of(experiment)
            if own not in (None, command):
                words = [f"{EXPERIMENT}={experiment}" if o is override else str(o.input_line) for o in given]
                told = shlex.join(["python", "-m", f"experiments.{own}", *words])
                raise BadInput(f"{EXPERIMENT}={experiment} is for another command: {told}")


def check_given_once(given: Sequence[Override]) -> None:
    """Refuse two values of a key, of which Hydra would silently take the last."""
    seen: dict[str, str] = {}
    for override in given:
        line, key = str(override.input_line), str(override.get_key_element()).lstrip("+~")
        if seen.setdefault(key, line) != line:
            raise BadInput(f"{key} is given twice: {seen[key]} and {line}")


def check_not_overruled(composed: DictConfig, plain: Plain, given: Sequence[Override]) -> None:
    """Refuse a choice that the experiment's own file replaces, which Hydra would let pass without a word."""
    for override in given:
        choice = None if override.is_delete() else override.value()
        named = name_of_choice(override.key_or_group, choice) if isinstance(choice, str) else None
        if named is None:
            continue
        path = key_of(override).split(".")
        found = at(plain, path)
        if isinstance(found, dict) and found.get("name", named) != named:
            as_written = at(OmegaConf.to_container(composed, resolve=False), path)
            own = as_written if isinstance(as_written, str) else f"name={found['name']}"
            sets = f"{override.input_line}: {_who_sets(composed)} sets {key_of(override)}"
            if keys := choosers(OmegaConf.to_container(composed, resolve=False), path):
                raise BadInput(f"{sets} by {by(keys)}; choose {' or '.join(keys)}")
            raise BadInput(f"{sets} itself, to {own}")


def _who_sets(composed: DictConfig) -> str:
    """What chosen file sets keys of other groups."""
    chosen = composed.hydra.runtime.choices
    return next((f"this {group}" for group in (EXPERIMENT, "cell", "preset") if chosen.get(group)), "another file")


def at(tree: Any, path: Sequence[str]) -> Any:
    """What lies below ``tree`` at a path of keys; None where there is nothing."""
    for part in path:
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree


def key_of(override: Override) -> str:
    """Where in the configuration an override acts: ``opponent.backup`` for ``backup@opponent.backup=...``."""
    return override.package or override.key_or_group.replace("/", ".")


def once_each(given: Sequence[Override]) -> list[str]:
    """The overrides as words, with repeated values of a swept key left out but for the first."""
    words = []
    for override in given:
        line = str(override.input_line)
        if override.is_choice_sweep():
            values = list(override.sweep_string_iterator())
            if len(kept := list(dict.fromkeys(values))) < len(values):
                line = f"{override.get_key_element()}={','.join(kept)}"
        words.append(line)
    return words


def words_once_each(words: Sequence[str]) -> list[str]:
    """A command line whose swept values stand there once each."""
    parser = OverridesParser.create()
    return [
        once_each(parser.parse_overrides([word]))[0] if "," in word and not word.startswith("-") else word
        for word in words
    ]


def combinations(given: Sequence[Override]) -> list[list[str]]:
    """The overrides of every run of a sweep, as Hydra's basic sweeper makes them: the last swept key varies fastest.

    Raises BadInput at a range, which only a sweeper that draws from it can take.
    """
    values: dict[str, list[str]] = {}
    for override in given:
        key = override.get_key_element()
        if not override.is_sweep_override():
            values[key] = [override.get_value_element_as_str()]
        elif override.is_discrete_sweep():
            values[key] = list(override.sweep_string_iterator())
            if not values[key]:
                raise BadInput(f"{override.input_line}: no value is among these, so there is nothing to run")
        else:
            raise BadInput(f"{override.input_line}: a range is for a sweeper that draws from it (hydra/sweeper=optuna)")
    lists = [[f"{key}={value}" for value in some] for key, some in values.items()]
    return [list(row) for row in product(*lists)]


def every_choice(given: Sequence[Override]) -> list[list[str]]:
    """The overrides of runs that have every value of every choice between them, beside the first of the others.

    For a sweeper that draws: its runs are not known, these are runs that it may come to. Of an interval they have a
    number within, of a range its first.
    """
    first = {}
    for override in given:
        key = str(override.get_key_element())
        within = (
            f"{key}={_within(override.value())}" if override.is_interval_sweep() else combinations([override])[0][0]
        )
        first[key] = within
    choices_of = {str(o.get_key_element()): list(o.sweep_string_iterator()) for o in given if o.is_choice_sweep()}
    rows = [{**first, key: f"{key}={value}"} for key, values in choices_of.items() for value in values]
    return [list(row.values()) for row in rows or [first]]


def _within(interval: Any) -> float:
    """A number that a sweeper may draw: an integer of ``int(interval(...))``, which is hardly whole otherwise."""
    point = interval.start + (interval.end - interval.start) * INNER
    return round(point) if isinstance(interval.start, int) and isinstance(interval.end, int) else point


@contextmanager
def told_how_integers_are_drawn(given: Sequence[Override]) -> Iterator[None]:
    """Where a number of an interval had to be an integer, the line also says how an interval draws integers."""
    try:
        yield
    except BadInput as error:
        for override in given:
            key, drawn = str(override.get_key_element()), cast(Any, override.value())
            if not override.is_interval_sweep() or isinstance(drawn.start, int):
                continue
            if str(error).startswith(f"{key}=") and "must be an integer" in str(error):
                whole = f"{key}=int(interval({drawn.start:g},{drawn.end:g}))"
                raise BadInput(f"{error}; {whole} draws integers") from None
        raise


def swept_keys(params: Sequence[str], given: Sequence[Override]) -> list[str]:
    """The keys that are swept, by the parameters of the sweeper and on the command line."""
    keys = [word.partition("=")[0] for word in params]
    return list(dict.fromkeys([*keys, *(str(o.get_key_element()) for o in given if o.is_sweep_override())]))


def paths_of(swept: Sequence[str]) -> list[str]:
    """Where in the configuration swept keys act, as ``key_of`` has it of overrides."""
    return [key.partition("@")[2] or key.replace("/", ".") for key in swept]


def first_of(given: Sequence[Override]) -> list[str]:
    """The overrides of one run of a sweep, to see what they choose; ranges for a sweeper to draw from are left out."""
    drawn = [o for o in given if not o.is_sweep_override() or o.is_discrete_sweep()]
    return combinations(drawn)[0]


def label_of(overrides: Sequence[str], swept: Sequence[str]) -> str:
    """What sets a run of a sweep apart: its values of the keys that are swept."""
    return " ".join(word for word in overrides if word.partition("=")[0] in swept)


def check_verbose(verbose: Any) -> None:
    """Raise BadInput for a ``hydra.verbose`` that Hydra would fail on."""
    if not isinstance(verbose, bool | str) and not OmegaConf.is_list(verbose):
        raise BadInput(f"hydra.verbose={verbose}: must be true, false, the name of a logger, or a list of names")
