"""The page of dependencies says what the lock installs, and the digests that are checked."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path

from plotly.offline import get_plotlyjs_version

from pipelines.session import GRAPHFRAMES_PACKAGE, GRAPHFRAMES_SHA256

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")


def test_every_package_of_the_lock_stands_there_with_its_version_licence_and_why():
    locked: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE):
        locked.setdefault(name, []).append(version)
    rows = [row.strip("| ").split(" | ") for row in PAGE.splitlines() if row.startswith("| ")]
    told = {row[0]: row[1].split(", ") for row in rows if row[0] in locked}
    assert told == locked
    assert all(len(row) == 4 and all(row) for row in rows)
    assert "nose" not in locked


def test_the_digest_of_graphframes_classes_stands_there():
    group, name, version = GRAPHFRAMES_PACKAGE.split(":")
    assert f"`{group}:{name}` | {version} |" in PAGE
    assert GRAPHFRAMES_SHA256 in PAGE


def test_the_script_that_draws_is_the_one_of_npm_and_as_new_as_the_package_that_makes_the_figures():
    script = (ROOT / "viz" / "plotly-basic.min.js").read_bytes()
    (version,) = re.findall(rb"plotly\.js \(basic - minified\) v([\d.]+)", script)
    assert f"| `plotly.js-basic-dist-min` | {version.decode()} | MIT | `{hashlib.sha256(script).hexdigest()}` |" in PAGE
    assert version.decode() == get_plotlyjs_version()


def test_lines_are_explained_without_what_takes_a_second_to_load():
    loaded = (
        "import sys, pipelines.answers.lines; print({'pyspark', 'numpy', 'pandas', 'pyarrow'} & sys.modules.keys())"
    )
    told = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert told.stdout == "set()\n"
