"""What the input covers: which node's log of which kind, from when to when, and so what its silence proves."""
