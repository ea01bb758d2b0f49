"""`python -m pipelines` is `kafka-replay`."""

from pipelines.cli import main

main()
