"""Sessions, files, the command line, and `Replay`, the interface for notebooks."""
