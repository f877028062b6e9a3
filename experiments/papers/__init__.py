"""One module or package a source document: what it prints, and what its sweeps end with."""
