"""CUDA: kernels, their launches, and the memory and streams of a device."""
