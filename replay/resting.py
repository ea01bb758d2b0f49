"""Where a plan may rest: what a stage takes up more than once it offers to be set down, so that it is planned, and done, once."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame

# A name and a frame in; the frame out, as it stands or read back from where it was set down under the name.
Rest = Callable[[str, DataFrame], DataFrame]


def going_on(name: str, frame: DataFrame) -> DataFrame:
    """`frame` as it is: the plan does not rest."""
    return frame
