"""The check of a CUDA device, and the campaign that goes on from call to call (``python -m experiments.gpu_check``)."""
