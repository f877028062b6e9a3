"""Memory of the hash tables of alpha-beta players, which have one a thread on each side of a match."""

from collections.abc import Sequence

from gpumcts.errors import BadInput
from gpumcts.resources import free_memory
from gpumcts.tree.memory import SHARE_OF_MEMORY


def check_tables(tables: Sequence[tuple[str, int]], threads: int, memory_limit: int | None) -> None:
    """Refuse tables that do not fit into the memory that there is or may be used. Raises BadInput.

    tables : of each player that has one the key that sets its size, and MiB; memory_limit : bytes, None for what is
        free
    """
    needed = threads * sum(mebibytes for _, mebibytes in tables)
    limit = memory_limit or int(2 * SHARE_OF_MEMORY * free_memory())
    if needed * 2**20 > limit:
        keys = " and ".join(f"{key}={mebibytes}" for key, mebibytes in tables)
        raise BadInput(
            f"{keys}: tables of {threads} threads, {needed:,} MiB, do not fit into {limit >> 20:,} MiB "
            f"({'memory_gb' if memory_limit else 'of what is free'}); lower them, or threads"
        )
