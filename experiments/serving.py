"""What commands that serve others have in common: streams, and what is refused before anything is served."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from experiments.schema import Checked


def check_serving(config: Checked) -> None:
    """Refuse an engine that is not there, and a budget that does not fit."""
    from experiments.seating import check_engine, check_memory

    check_engine(config.engine)
    check_memory(config)


@contextmanager
def own_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Stdin unbuffered, and stdout for answers alone: what else is printed meanwhile goes to stderr."""
    sys.stdout.flush()
    own, before = os.dup(1), sys.stdout
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        with open(0, "rb", buffering=0, closefd=False) as source:
            sink = open(own, "wb", closefd=False)  # noqa: SIM115  closed below, where nobody may listen any more
            try:
                yield source, sink
            finally:
                with suppress(BrokenPipeError):  # what is left in its buffer
                    sink.close()
    finally:
        sys.stdout = before
        os.dup2(own, 1)
        os.close(own)
