"""Volumes: folders that Databricks mounts both for this process and for Spark's workers."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

VOLUMES = "/Volumes/"  # where Databricks mounts volumes: Spark reads these paths without a scheme, and so does Python
_CANNOT_RENAME = (errno.ENOSYS, errno.EOPNOTSUPP, errno.EXDEV)


def is_volume(text: str) -> bool:
    """Whether `text` is a path in a volume, which Spark and this process both read and write."""
    return text.startswith(VOLUMES)


def spark_path(path: Path) -> str:
    """`path` as Spark names it: with the scheme of the local disk, because Spark's default can be another file
    system. A path in a volume gets no scheme: serverless and standard compute reject `file:`.
    """
    here = str(path.resolve())
    return here if is_volume(here) else f"file://{here}"


def is_below_a_volume(text: str) -> bool:
    """Whether `text` is a folder in a volume (`/Volumes/<catalog>/<schema>/<volume>/<folder>`), not a volume itself:
    nothing can be written next to a volume.
    """
    return is_volume(text) and len(Path(text.removeprefix(VOLUMES)).parts) > 3


def copy_files(folder: Path, target: Path) -> None:
    """Copy every file below `folder` to the same path below `target`. Copies only the content: a volume keeps no
    owner, mode or time.
    """
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        copy = target / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def move_folder(folder: Path, target: Path) -> None:
    """Rename a folder. If the file system cannot, such as a mounted object store, copy its files and remove it."""
    try:
        folder.rename(target)
    except OSError as error:
        if error.errno not in _CANNOT_RENAME or target.exists():
            raise
        try:
            copy_files(folder, target)
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)
