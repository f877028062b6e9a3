"""The command line and Hydra: composing, checking and running, help, and errors in one line."""
