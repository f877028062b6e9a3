"""What goes wrong."""


class OutOfMemoryError(MemoryError):
    """There is no memory on the device, or none that can be pinned."""


class CUDADriverError(RuntimeError):
    """Another code of the driver."""
