"""Iterations of trees on the host: all on the CPU, or with the playouts of their leaves on an engine."""

import threading

from gpumcts.kernels.playout_engine import PlayoutEngine
from gpumcts.tree.checks import check_bounds
from gpumcts.tree.host.cpu_iterations import CpuIterations
from gpumcts.tree.host.device_playouts import DevicePlayouts, device_clocked
from gpumcts.tree.host.in_flight import BatchesInFlight
from gpumcts.tree.host.plan import SearchPlan
from gpumcts.tree.host.shared_tree import OnDevice, SharedTrees
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.host.wave import Wave

MIN_BATCHES = 4  # that threads share beside a device: two are spent to have a batch captured


class HostIterations:
    """The loop over iterations that fits a plan: its engine, its batches in flight.

    workers : threads that may be shared with other searches
    """

    def __init__(self, plan: SearchPlan, workers: ThreadPool) -> None:
        self.plan, self._time_shares = plan, workers.time_shares
        self._on_cpu = CpuIterations(plan, workers) if plan.engine is None else None
        self._shared = SharedTrees(plan, workers)

    def iterate(self, wave: Wave, span: tuple[int, int], in_flight: BatchesInFlight | None = None) -> None:
        """Iterations ``span`` of the trees of a wave: those of each that are made before it, and after it.

        in_flight : keeps what is in flight until the next call; without it all is counted

        Raises KeyboardInterrupt where the wave is told to stop, and BadInput where a tree meets more than its game's
        class has room for.
        """
        plan = self.plan
        if plan.parts.settings.batches_in_flight > 1:
            batches = in_flight or BatchesInFlight(plan)
            with self._time_shares.working(threading.get_ident()):  # on threads that are not the workers
                batches.iterate(wave, span)
                if in_flight is None:
                    batches.back_up_pending(wave)
        elif plan.engine is not None:
            begin = self._together(plan.engine, wave, span)
            if begin < span[1]:
                DevicePlayouts(plan, plan.engine, wave, (begin, span[1])).run()
        elif self._on_cpu is not None:
            self._on_cpu.iterate(wave, span)
        check_bounds(plan.parts.game, wave.forest.beyond)

    def _together(self, engine: PlayoutEngine, wave: Wave, span: tuple[int, int]) -> int:
        """Whole batches of a wave of few trees, on all threads beside a device; the first iteration that is left."""
        settings = self.plan.parts.settings
        begin, leaves, playouts = span[0], settings.leaves_per_tree, settings.playouts_per_leaf
        batches = (span[1] - begin) // leaves
        if batches < MIN_BATCHES or engine.clock is None or not self._shared.fit(wave):
            return begin
        device = OnDevice(engine, leaves, playouts, wave.states[0])
        if device.words is None:
            return begin
        with device_clocked(engine, wave.clock):
            self._shared.iterate(wave, (begin, begin + batches * leaves), device)
        return begin + batches * leaves
