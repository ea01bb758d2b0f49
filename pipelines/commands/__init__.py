"""The commands of `kafka-replay` that work on a finished result or on a host: options in, lines out."""
