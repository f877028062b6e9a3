"""The suites of ``experiments.bench``, a module each: what is measured, and against what."""
