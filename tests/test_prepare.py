"""What `kafka-replay prepare` leaves behind, and what a session then starts with."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pipelines.java import CACHE_SETTING, class_archive
from pipelines.prepare import _sample, prepare
from pipelines.session import _java_options
from replay.errors import SetupError


def test_another_java_has_another_archive():
    one, two = class_archive("/java-17/bin/java"), class_archive("/java-21/bin/java")
    assert one.parent == two.parent
    assert one != two


def test_the_archive_goes_with_the_virtual_environment(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    assert class_archive("java").is_relative_to(tmp_path / "venv")
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert class_archive("java").is_relative_to(tmp_path / "cache")
    monkeypatch.setenv(CACHE_SETTING, str(tmp_path / "given"))
    assert class_archive("java").parent == tmp_path / "given"


@pytest.mark.parametrize("there", [True, False])
def test_java_gets_an_existing_archive(tmp_path, there):
    archive = tmp_path / "with a space.jsa"
    if there:
        archive.touch()
    options = list(_java_options(archive, small=True, stays=False, own_heap=True, learn=None))
    assert (f'"-XX:SharedArchiveFile={archive}"' in options) is there


@pytest.mark.parametrize(
    ("version", "suffix", "learns", "uses"),
    [
        ("17.0.15", ".jsa", "ArchiveClassesAtExit", "SharedArchiveFile"),
        ("25.0.3", ".aot", "AOTCacheOutput", "AOTCache"),
        (None, ".jsa", "ArchiveClassesAtExit", "SharedArchiveFile"),
    ],
)
def test_java_25_learns_an_aot_cache(monkeypatch, tmp_path, version, suffix, learns, uses):
    monkeypatch.setenv(CACHE_SETTING, str(tmp_path / "cache"))
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch()
    if version is not None:
        (tmp_path / "jdk" / "release").write_text(f'IMPLEMENTOR="Eclipse Adoptium"\nJAVA_VERSION="{version}"\n')
    archive = class_archive(str(java))
    assert archive.suffix == suffix
    archive.parent.mkdir()
    archive.touch()
    assert f'"-XX:{uses}={archive}"' in _java_options(archive, small=True, stays=True, own_heap=True, learn=None)
    new = archive.with_name(f"new{suffix}")
    options = list(_java_options(archive, small=True, stays=True, own_heap=True, learn=new))
    assert f'"-XX:{learns}={new}"' in options
    assert not any(f"-XX:{uses}=" in option for option in options)


@pytest.mark.parametrize(("small", "stays", "once"), [(True, False, True), (True, True, False), (False, False, False)])
def test_only_one_small_run_does_without_javas_second_compiler(tmp_path, small, stays, once):
    options = list(_java_options(tmp_path / "none.jsa", small=small, stays=stays, own_heap=True, learn=None))
    assert ("-XX:TieredStopAtLevel=1" in options) is once


def test_a_running_session_is_not_prepared(spark):
    with pytest.raises(SetupError, match="a Spark session already runs"):
        prepare()


def test_the_sample_holds_what_the_catalogue_knows(tmp_path):
    folder = _sample(tmp_path)
    lines = Path(folder, "server.log").read_text().splitlines()
    assert len(lines) > 200
    assert sorted(lines) == lines, "stamps rise"
    assert all(line.startswith("[2026-01-0") and line.endswith("(kafka.server.KafkaServer)") for line in lines)
