"""Volumes: folders that Databricks mounts for this process and for Spark's workers alike."""

from __future__ import annotations

from pathlib import Path

VOLUMES = "/Volumes/"  # where Databricks mounts volumes: Spark reads these paths without a scheme, and so does Python


def is_volume(text: str) -> bool:
    """Whether `text` is a path in a volume, which Spark and this process both read and write."""
    return text.startswith(VOLUMES)


def spark_path(path: Path) -> str:
    """`path` as Spark names it: with the scheme of this machine's disk, because Spark's default can be another file
    system. A path in a volume has no scheme: serverless and standard compute refuse `file:`.
    """
    here = str(path.resolve())
    return here if is_volume(here) else f"file://{here}"
