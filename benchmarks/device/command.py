"""The command line of the check of a device; it is read before anything is asked of the machine or of packages."""

import argparse
from pathlib import Path
from typing import NoReturn

from benchmarks.device.names import BATCHES, PARTS, SIZES, WAYS
from benchmarks.device.packages import missing

MINUTES = 8.0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """In one line, without the usage."""
        self.exit(2, f"error: {message}\n")


def main(program: str, about: str) -> int:
    """Check, or go on with a campaign, as the command line says; the exit code."""
    parser = _Parser(program, description=about)
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="where files go; those of an earlier check are replaced"
    )
    parser.add_argument("--campaign", type=Path, metavar="FOLDER", help="go on with the campaign in this folder")
    parser.add_argument(
        "--minutes",
        type=float,
        default=MINUTES,
        help="for tests and figures, once kernels are compiled; of a campaign: for all of the call",
    )
    names = [*PARTS, WAYS, BATCHES]
    parser.add_argument("--suites", help=f"suites to measure in place of all, of: {', '.join(names)}")
    parser.add_argument(
        "--sizes",
        choices=SIZES,
        default="full",
        help="brief: for some minutes of a device; small: where one is only emulated",
    )
    chosen = parser.parse_args()
    if not 0 < chosen.minutes < float("inf"):
        parser.exit(2, f"error: --minutes {chosen.minutes:g}: must be more than 0\n")
    if (chosen.folder is None) == (chosen.campaign is None):
        parser.exit(2, "error: name a FOLDER for a check, or --campaign FOLDER to go on with one, not both\n")
    suites = None if chosen.suites is None else [name for name in chosen.suites.split(",") if name]
    if suites == []:
        parser.exit(2, f"error: --suites {chosen.suites!r}: no suite is named; there are {', '.join(names)}\n")
    if unknown := [name for name in suites or () if name not in names]:
        parser.exit(2, f"error: --suites: there is no {unknown[0]}; there are {', '.join(names)}\n")
    if suites is not None and chosen.campaign is not None:
        parser.exit(2, "error: --suites: a campaign measures all of them\n")
    if lacking := missing():
        parser.exit(2, f"error: {lacking}\n")
    from benchmarks.device import campaign  # needs all of them

    try:
        if chosen.campaign is not None:
            return campaign.campaign(chosen.campaign.resolve(), 60 * chosen.minutes, chosen.sizes)
        return campaign.check(chosen.folder.resolve(), 60 * chosen.minutes, chosen.sizes, suites)
    except OSError as error:
        parser.exit(2, f"error: {chosen.campaign or chosen.folder}: {error.strerror or error}\n")
