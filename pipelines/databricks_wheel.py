"""The wheel for Databricks: `python -m pipelines.databricks_wheel dist` builds it from the sources.

It is the usual wheel without its requirement of PySpark. Databricks has its own PySpark, and serverless compute ends
a session that installs another one.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent  # of the sources
LEFT_OUT = "pyspark"
_LOCAL = "databricks"  # part of the version, to distinguish the two wheels


def built(folder: Path) -> Path:
    """Build the wheel into `folder`. Raises CalledProcessError if the sources do not build."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as between:
        return without_pyspark(usual_wheel(Path(between)), folder)


def usual_wheel(folder: Path) -> Path:
    """Build the wheel for the package index into `folder`. Raises CalledProcessError if the sources do not build."""
    shutil.rmtree(ROOT / "build", ignore_errors=True)  # left by an earlier build, with modules that no longer exist
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(build, check=True)
    (usual,) = (file for file in folder.glob("kafka_incident_replay-*.whl") if f"+{_LOCAL}" not in file.name)
    return usual


def without_pyspark(usual: Path, folder: Path) -> Path:
    """A copy of the wheel `usual` in `folder` that does not require PySpark."""
    name, version, *tags = usual.name.split("-")
    own = f"{version}+{_LOCAL}"
    made = folder / "-".join((name, own, *tags))
    records = []
    with zipfile.ZipFile(usual) as source, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        for entry in source.namelist():
            data, path = source.read(entry), entry.replace(f"{name}-{version}.dist-info/", f"{name}-{own}.dist-info/")
            if path.endswith(".dist-info/RECORD"):
                continue
            if path.endswith(".dist-info/METADATA"):
                data = _metadata(data.decode("utf-8"), version, own).encode("utf-8")
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{path},sha256={digest},{len(data)}")
            out.writestr(path, data)
        record = f"{name}-{own}.dist-info/RECORD"
        out.writestr(record, "\n".join([*records, f"{record},,", ""]))
    return made


def _metadata(text: str, version: str, own: str) -> str:
    """The metadata without the requirement of PySpark, and with its own version; the text after the headers is
    unchanged.
    """
    headers, blank, rest = text.partition("\n\n")
    kept = [line for line in headers.splitlines() if not _requires_pyspark(line)]
    return "\n".join(f"Version: {own}" if line == f"Version: {version}" else line for line in kept) + blank + rest


def _requires_pyspark(header: str) -> bool:
    name, _, value = header.partition(":")
    return name == "Requires-Dist" and value.strip().lower().startswith(LEFT_OUT) and "extra ==" not in value


if __name__ == "__main__":
    print(built(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")))
