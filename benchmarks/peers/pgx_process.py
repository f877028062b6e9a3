"""``python -P pgx_process.py GAME BATCH [cuda]``: plays each number of playouts it reads with pgx, answers their plies.

Written as pgx's own examples are: ``jax.vmap`` over games, the action drawn among the legal ones, all games of a batch
until the last one is over.
"""

import os
import sys


def bind_to_one_core() -> None:
    """Of this process, where the system can; JAX starts a thread for every core that it may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    os.environ["JAX_PLATFORMS"] = "cpu"


def leave_memory() -> None:
    """Run on the device, and take no more of its memory than is needed: ours is there, too."""
    os.environ["JAX_PLATFORMS"] = "cuda"
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"


def playing(name: str, batch: int):
    """A compiled function of a JAX key: the plies and the first player's rewards of ``batch`` games, summed."""
    import jax  # pyright: ignore[reportMissingImports]
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]
    import pgx  # pyright: ignore[reportMissingImports]

    environment = pgx.make(name)
    init, step = jax.vmap(environment.init), jax.vmap(environment.step)

    def going_on(carry):
        return ~carry[0].terminated.all()

    def ply(carry):
        state, key, rewards = carry
        key, draw = jax.random.split(key)
        actions = jax.random.categorical(draw, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        state = step(state, actions)
        return state, key, rewards + state.rewards[:, 0]

    @jax.jit
    def play(key):
        begin, key = jax.random.split(key)
        carry = init(jax.random.split(begin, batch)), key, jnp.zeros(batch)
        state, _, rewards = jax.lax.while_loop(going_on, ply, carry)
        return state._step_count.sum(), rewards.sum()

    return jax.random.PRNGKey(1), play


def main(name: str, batch: int, platform: str = "cpu") -> None:
    """Answer until there is no more to read."""
    leave_memory() if platform == "cuda" else bind_to_one_core()
    key, play = playing(name, batch)
    import jax  # pyright: ignore[reportMissingImports]

    for line in sys.stdin:
        plies = 0
        for _ in range(-(-int(line) // batch)):
            key, this = jax.random.split(key)
            plies += int(play(this)[0])
        print(plies, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
