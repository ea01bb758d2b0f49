"""What the wheel holds and what it imports; the bundle that installs it on Databricks."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import jsonschema
import pytest
import yaml

from pipelines.databricks_wheel import without_pyspark

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = ("kafka_replay", "replay", "pipelines", "viz")
LINE = "[2026-11-21 05:38:34,080] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)"


def _python(code: str, *path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))},
        cwd=cwd,
        capture_output=True,
        text=True,
    )


def test_one_import_has_what_notebooks_need(tmp_path):
    done = _python("import kafka_replay; print(*sorted(kafka_replay.__all__))", ROOT, cwd=tmp_path)
    assert done.stdout.split() == ["Replay", "ReplayError", "explain_lines", "register"], done.stderr
    done = _python(f"from kafka_replay import explain_lines; print(explain_lines({LINE!r}))", ROOT, cwd=tmp_path)
    assert "Broker 1 has started" in done.stdout, done.stderr


ANOTHER_PROGRAM = """
from kafka_replay import Replay, explain_lines
Replay.analyze(spark, "/logs", overwritten=True)
Replay.analyze(spark, "/logs", format="orc")
Replay.append(spark, "/logs", catalog_schema="ops.incidents", incident=3)
lines: int = explain_lines("a line")
Replay.load(spark, "/result").report().show()
"""


@pytest.mark.nightly
def test_a_type_checker_sees_the_options_of_each_method(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        f"from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n{ANOTHER_PROGRAM}"
    )
    check = [sys.executable, "-m", "mypy", "--no-incremental", str(program)]
    done = subprocess.run(check, env=os.environ | {"MYPYPATH": str(ROOT)}, cwd=tmp_path, capture_output=True, text=True)
    errors = re.findall(r"program.py:(\d+): error: (.*)", done.stdout)
    assert [int(line) - 2 for line, _ in errors] == [3, 4, 5, 6, 7], done.stdout
    for (_, said), wrong in zip(errors, ("overwritten", "orc", "incident", "int", "show"), strict=True):
        assert wrong in said


@pytest.mark.parametrize("name", NAMES[1:])
def test_another_package_of_the_same_name_is_reported_in_one_line(name, tmp_path):
    other = tmp_path / "theirs" / name
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("raise SystemExit('it was imported')")
    done = _python("from kafka_replay import Replay", other.parent, ROOT, cwd=tmp_path)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith(f"ImportError: kafka_replay needs its own package '{name}' in {ROOT}") and str(other) in last


@pytest.fixture
def wheel(tmp_path) -> Path:
    """A wheel as setuptools builds it, of two modules."""
    made = tmp_path / "kafka_incident_replay-0.1.0-py3-none-any.whl"
    metadata = (
        "Metadata-Version: 2.4\nName: kafka-incident-replay\nVersion: 0.1.0\nRequires-Dist: pyspark<4.4,>=4.0\n"
        'Requires-Dist: pandas<3,>=2.2\nProvides-Extra: test\nRequires-Dist: pyspark[connect]; extra == "test"\n\n# Kafka Replay\n'
    )
    with zipfile.ZipFile(made, "w") as out:
        out.writestr("replay/__init__.py", "")
        out.writestr("kafka_incident_replay-0.1.0.dist-info/METADATA", metadata)
        out.writestr("kafka_incident_replay-0.1.0.dist-info/RECORD", "replay/__init__.py,,\n")
    return made


def test_the_wheel_for_databricks_does_not_bring_another_pyspark(wheel, tmp_path):
    made = without_pyspark(wheel, tmp_path / "dist" if (tmp_path / "dist").mkdir() is None else tmp_path)
    assert made.name == "kafka_incident_replay-0.1.0+databricks-py3-none-any.whl"
    with zipfile.ZipFile(made) as read:
        folder = "kafka_incident_replay-0.1.0+databricks.dist-info"
        metadata = read.read(f"{folder}/METADATA").decode()
        recorded = {line.split(",")[0] for line in read.read(f"{folder}/RECORD").decode().splitlines()}
        assert recorded == set(read.namelist())
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert required == ["Requires-Dist: pandas<3,>=2.2", 'Requires-Dist: pyspark[connect]; extra == "test"']
    assert "Version: 0.1.0+databricks\n" in metadata and metadata.endswith("# Kafka Replay\n")


def test_the_wheel_gets_every_file_that_a_package_reads():
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    listed = {
        file.relative_to(ROOT)
        for package, globs in patterns.items()
        for one in globs
        for file in (ROOT.glob(f"*/**/{one}") if package == "*" else ROOT.joinpath(*package.split(".")).glob(one))
    }
    tracked = subprocess.run(["git", "ls-files", *NAMES], cwd=ROOT, capture_output=True, text=True, check=True)
    data = {Path(name) for name in tracked.stdout.splitlines() if not name.endswith(".py")}
    assert len(data) > 50 and data - listed == set()


@pytest.mark.nightly
def test_a_wheel_of_the_sources_holds_the_four_packages_and_runs(tmp_path):
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True)
    if "No matching distribution" in done.stderr or "ConnectionError" in done.stderr:
        pytest.skip(f"setuptools cannot be had here: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    (made,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(
        without_pyspark(made, tmp_path / "dist" if (tmp_path / "dist").mkdir() is None else made)
    ) as read:
        tops = {name.split("/")[0] for name in read.namelist()}
        read.extractall(installed)
    assert {name for name in tops if not name.endswith(".dist-info")} == set(NAMES)
    code = f"from kafka_replay import Replay, explain_lines; print(Replay.__module__, explain_lines({LINE!r}))"
    done = _python(code, installed, cwd=tmp_path)
    assert done.returncode == 0 and "Broker 1 has started" in done.stdout, done.stderr


# What https://docs.databricks.com/dev-tools/bundles/settings has for the parts of a bundle that this one uses.
TEXT = {"type": "string"}
TASK = {
    "type": "object",
    "required": ["task_key", "environment_key", "python_wheel_task"],
    "additionalProperties": False,
    "properties": {
        "task_key": {"type": "string", "pattern": r"^[\w-]{1,100}$"},
        "environment_key": TEXT,
        "python_wheel_task": {
            "type": "object",
            "required": ["package_name", "entry_point"],
            "additionalProperties": False,
            "properties": {"package_name": TEXT, "entry_point": TEXT, "parameters": {"type": "array", "items": TEXT}},
        },
    },
}
ENVIRONMENT = {
    "type": "object",
    "required": ["environment_key", "spec"],
    "additionalProperties": False,
    "properties": {
        "environment_key": TEXT,
        "spec": {
            "type": "object",
            "required": ["environment_version"],
            "additionalProperties": False,
            "properties": {
                "environment_version": {"type": "string", "pattern": r"^\d+$"},
                "dependencies": {"type": "array", "items": TEXT},
            },
        },
    },
}
JOB = {
    "type": "object",
    "required": ["name", "tasks"],
    "additionalProperties": False,
    "properties": {
        "name": TEXT,
        "max_concurrent_runs": {"type": "integer", "minimum": 1},
        "schedule": {
            "type": "object",
            "required": ["quartz_cron_expression", "timezone_id"],
            "additionalProperties": False,
            "properties": {
                "quartz_cron_expression": TEXT,
                "timezone_id": TEXT,
                "pause_status": {"enum": ["PAUSED", "UNPAUSED"]},
            },
        },
        "tasks": {"type": "array", "minItems": 1, "items": TASK},
        "environments": {"type": "array", "items": ENVIRONMENT},
    },
}
DASHBOARD = {
    "type": "object",
    "required": ["display_name", "file_path", "warehouse_id"],
    "additionalProperties": False,
    "properties": {"display_name": TEXT, "file_path": TEXT, "warehouse_id": TEXT},
}
BUNDLE = {
    "type": "object",
    "required": ["bundle", "resources", "targets"],
    "additionalProperties": False,
    "properties": {
        "bundle": {"type": "object", "required": ["name"], "additionalProperties": False, "properties": {"name": TEXT}},
        "variables": {
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"description": TEXT, "default": TEXT},
            }
        },
        "artifacts": {
            "additionalProperties": {
                "type": "object",
                "required": ["type"],
                "additionalProperties": False,
                "properties": {"type": {"const": "whl"}, "path": TEXT, "build": TEXT},
            }
        },
        "resources": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"jobs": {"additionalProperties": JOB}, "dashboards": {"additionalProperties": DASHBOARD}},
        },
        "targets": {
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "mode": {"enum": ["development", "production"]},
                    "default": {"type": "boolean"},
                    "workspace": {"type": "object", "properties": {"root_path": TEXT}},
                },
            }
        },
    },
}


@pytest.fixture(scope="module")
def bundle() -> dict:
    return yaml.safe_load((ROOT / "databricks.yml").read_text(encoding="utf-8"))


def test_the_bundle_has_the_settings_that_databricks_names(bundle):
    jsonschema.Draft202012Validator(BUNDLE).validate(bundle)


def test_the_job_of_the_bundle_starts_what_the_wheel_holds(bundle):
    (job,) = bundle["resources"]["jobs"].values()
    (task,), (environment,) = job["tasks"], job["environments"]
    wheel_task = task["python_wheel_task"]
    assert wheel_task["package_name"] == PROJECT["name"].replace("-", "_")
    module, function = PROJECT["scripts"][wheel_task["entry_point"]].split(":")
    command = getattr(importlib.import_module(module), function)
    parameters = [_given(word, bundle["variables"]) for word in wheel_task["parameters"]]
    context = command.make_context("job", list(parameters))
    assert (
        context.params["paths"] == ("/Volumes/ops/logs/kafka",) and context.params["catalog_schema"] == "ops.incidents"
    )
    assert task["environment_key"] == environment["environment_key"]
    assert environment["spec"]["dependencies"] == ["./dist/*.whl"]
    assert bundle["artifacts"]["wheel"]["build"].endswith("-m pipelines.databricks_wheel dist")


def _given(word: str, variables: dict) -> str:
    return re.sub(r"\$\{var\.(\w+)\}", lambda found: variables[found[1]]["default"], word)
