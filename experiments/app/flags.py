"""The flags of a command line, as Hydra documents them; Hydra offers no parser of them."""

import argparse
from collections.abc import Collection
from typing import NoReturn

from gpumcts import __version__
from gpumcts.errors import BadInput

SHOWN = ("job", "hydra", "all")
ALONE = ("run", "multirun", "cfg", "shell-completion", "info")  # each says what is to be done
TOLD = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")


class _Parser(argparse.ArgumentParser):
    """Raises BadInput where argparse would print its usage and leave."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message}; --help shows what there is")


def parsed(words: list[str]) -> argparse.Namespace:
    """Flags and overrides of a command line; ``--version`` prints ours and Hydra's, and leaves.

    Raises BadInput where a flag is not known, lacks its value, or does not go with another one.
    """
    flags = _parser().parse_args(words)
    given = [f"--{name}" for name in ALONE if getattr(flags, name.replace("-", "_"))]
    if len(given) > 1:
        raise BadInput(f"{' and '.join(given)} do not go together; leave one out")
    if flags.experimental_rerun is not None:
        raise BadInput("--experimental-rerun: the same command line does a run again; leave it out")
    if flags.resolve and not (flags.cfg or flags.help):
        raise BadInput("--resolve goes with --cfg, as in --cfg job --resolve")
    return flags


HELP = ("--help", "-h")


def asked_of_help(words: list[str], overrides: list[str], groups: Collection[str]) -> list[str]:
    """Of which groups and choices alone ``--help`` shall tell: ``--help game``, ``game=go --help``.

    Behind a command line that has other keys too, it asks for all there is.
    """
    behind = next(at for at, word in enumerate(words) if word in HELP) > 0
    known = all(word.partition("=")[0] in groups for word in overrides)
    return [] if behind and words[-1] in HELP and not known else overrides


def _parser() -> argparse.ArgumentParser:
    from hydra import __version__ as hydra_version

    parser = _Parser(add_help=False)
    parser.add_argument("overrides", nargs="*")
    for flag in ("--help -h", "--hydra-help", "--resolve", "--run -r", "--multirun -m", "--shell-completion -sc"):
        parser.add_argument(*flag.split(), action="store_true")
    for flag in ("--package -p", "--config-path -cp", "--config-name -cn", "--config-dir -cd", "--experimental-rerun"):
        parser.add_argument(*flag.split())
    parser.add_argument("--version", action="version", version=f"gpumcts {__version__}, Hydra {hydra_version}")
    parser.add_argument("--cfg", "-c", choices=SHOWN)
    parser.add_argument("--info", "-i", const="all", nargs="?", choices=TOLD)
    return parser
