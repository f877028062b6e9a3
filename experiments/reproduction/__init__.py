"""Results as data: a file a cell, verdicts computed from the files, and pages generated from them."""
