"""`Replay`, the object that notebooks work with: in a session that is somebody else's, and on another file system."""

from __future__ import annotations

import errno
import inspect
import json
import re
import shutil
from html import unescape
from pathlib import Path

import jsonschema
import pandas as pd
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_replay import Replay
from pipelines.findings_schema import schema
from pipelines.places import put
from replay.errors import InputError, OutputError, ReplayError
from tests.golden import COLUMNS, TRACES, golden, inputs_of

TRACE, SMALL = TRACES / "unclean-election-zk-2.8.2", TRACES / "leader-epochs-by-hand"
ZONE = "spark.sql.session.timeZone"


@pytest.fixture(scope="module")
def replay(spark, result_of) -> Replay:
    return Replay.load(spark, result_of(TRACE))


@pytest.fixture
def in_tokyo(spark):
    """The session of a notebook whose zone is not UTC."""
    before = spark.conf.get(ZONE)
    spark.conf.set(ZONE, "Asia/Tokyo")
    yield spark
    assert spark.conf.get(ZONE) == "Asia/Tokyo", "the session has its own settings again"
    spark.conf.set(ZONE, before)


@pytest.fixture
def other_disk(spark, tmp_path):
    """A second file system, under a scheme of its own; and the default one is not this machine's disk."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    (tmp_path / "mounted").mkdir()
    hadoop.set("fs.viewfs.impl.disable.cache", "true")  # else a later test would get the disk of an earlier one
    hadoop.set("fs.viewfs.mounttable.other.link./data", f"file://{tmp_path}/mounted")
    before = hadoop.get("fs.defaultFS")
    hadoop.set("fs.defaultFS", "viewfs://other/")
    yield "viewfs://other/data"
    hadoop.set("fs.defaultFS", before)


def test_tables_are_attributes_and_views(replay, spark):
    assert replay.leader_epochs.columns == replay.tables["leader_epochs"].columns
    assert {"leader_epochs", "isr_spans"} <= set(dir(replay))
    assert "elections" in replay.sql_views()
    assert spark.sql("select count(*) from elections where elected_from = 'any_replica'").first()[0] == 6
    assert "night_losses" in replay.sql_views("night_")
    with pytest.raises(AttributeError, match="tables are"):
        replay.no_such_table  # noqa: B018


def test_answers_do_not_depend_on_the_zone_of_the_session(replay, in_tokyo, result_of):
    there = Replay.load(in_tokyo, result_of(TRACE))
    for ask in (
        lambda r: r.at("05:38:34.080"),
        lambda r: r.partition("orders-0"),
        lambda r: r.broker(2),
        lambda r: r.diff("05:37:40", "05:38:40"),
    ):
        assert ask(there).collect() == ask(replay).collect()
    told = there.partition("orders-0").agg(F.unix_millis(F.min("ts")))
    assert told.first()[0] == pd.Timestamp("2026-11-21 05:37:18.613").value // 1_000_000
    assert there.recorded == replay.recorded


def test_the_cluster_at_a_moment_with_no_leader(replay):
    told = replay.at("2026-11-21T05:38:34.080").toPandas()
    assert set(told.leader_id) == {-1} and {*map(tuple, told.isr)} == {(1,)} and not told.isr_is_last_known.any()


def test_findings_come_roots_first_and_are_explained(replay):
    told = replay.findings().collect()
    assert [row.role for row in told][:3] == ["root_cause"] * 3
    assert [row.finding_id for row in replay.findings("benign").collect()] == [
        row.finding_id for row in told if row.role == "benign"
    ]
    text = replay.explain(told[0].finding_id)
    assert "Effects" in text and "[node-" in text
    assert "<pre" in text._repr_html_() and "&lt;" not in replay.explain("F01")._repr_html_().split("<pre")[0]
    assert replay.explain("I6").startswith("I6")
    with pytest.raises(InputError, match="no such finding or code"):
        replay.explain("nonsense")


def test_availability_of_one_topic(replay):
    of_one, of_all = (
        {row.topic for row in told.collect()} for told in (replay.available("orders"), replay.available())
    )
    assert of_one == {"orders"} < of_all


def test_losses_are_reported_with_what_is_proven_first(replay):
    told = replay.losses().collect()
    proven = replay.losses("PROVEN_LOSS").collect()
    assert proven == told[: len(proven)] and len(told) > len(proven) > 0
    assert all(row.lost_for_sure == row.to_offset_low - row.from_offset for row in proven)


def test_the_page_is_shown_in_a_frame_of_its_own(replay, result_of):
    page = replay.report()
    assert str(page) == (result_of(TRACE) / "report.html").read_text(encoding="utf-8")
    shown = page._repr_html_()
    frame = re.fullmatch(r'<iframe sandbox="([\w -]+)" style="[^"]*" srcdoc="([^"]*)"></iframe>', shown)
    assert frame and "allow-same-origin" not in frame[1] and unescape(frame[2]) == page
    assert len(repr(page)) < 200


def test_every_answer_is_a_spark_dataframe(replay):
    answers = {
        "findings": (), "losses": (), "at": ("05:38:34.080",), "diff": ("05:37:40", "05:38:40"), "partition": ("orders-0",),
        "epochs": ("orders-0",), "offsets": ("orders-0",), "acks_told": ("orders-0",), "off_preferred": (), "available": (),
        "what_if": ("min.insync.replicas", 2), "log_loads": (), "epochs_learnt": (),
    }  # fmt: skip
    for name, arguments in answers.items():
        assert isinstance(getattr(replay, name)(*arguments), DataFrame), name
    assert not hasattr(Replay, "display") and callable(Replay.show)


def test_every_figure_of_the_page_is_a_method(replay, result_of):
    page = (result_of(TRACE) / "report.html").read_text(encoding="utf-8")
    on_page = set(re.findall(r'<script type="application/json" id="chart-([\w-]+)-data">', page))
    assert set(replay.figures()) == {*on_page, "causality"}  # the page draws causes itself
    assert len(replay.causality_figure().data) > 1
    with pytest.raises(InputError, match="there are brokers, metrics, availability, leader-epochs"):
        replay.figure("pie")


def test_replication_of_one_partition(replay):
    """orders-0 was led by 1, then uncleanly by 2: its file has the leader epochs in which each led."""
    files = replay.epochs("orders-0").toPandas()
    assert set(files.node_id) == {1, 2, 3}
    assert set(files.notation.map(bool)) == {True}
    assert replay.epochs("orders-0", history=True).count() > len(files)
    known = replay.offsets("orders-0").toPandas()
    assert {"last stable offset", "high watermark"} <= set(known.name)
    told = replay.acks_told("orders-0").toPandas()
    assert {"open", "closed"} <= set(told.all_state)
    assert {row.topic for row in replay.off_preferred().collect()} >= {"orders"}
    for asked in (replay.epochs, replay.offsets, replay.acks_told):
        with pytest.raises(InputError, match="nowhere-7"):
            asked("nowhere-7")


def test_it_shows_what_happened(replay):
    html = replay._repr_html_()
    (title,) = replay.tables["incidents"].select("title").toPandas().title
    assert title.split(",")[0] in html
    assert title in repr(replay)


def test_what_is_no_result_is_refused(spark, tmp_path):
    with pytest.raises(InputError, match="no result of an analysis"):
        Replay.load(spark, tmp_path)


def test_a_table_that_is_missing_or_lost_a_file_is_an_error_and_others_are_read(spark, result_of, tmp_path, other_disk):
    here = shutil.copytree(result_of(SMALL), tmp_path / "mounted" / "result")
    for place in (str(here), f"{other_disk}/result"):
        lost = Replay.load(spark, place)
        assert lost.leader_epochs.count() == lost.tables["leader_epochs"].count() > 0
    elections, part = (next((here / "tables" / name).glob("*.parquet")) for name in ("elections", "leader_epochs"))
    pq.write_table(pq.read_table(part).slice(1), part)
    for place in (str(here), f"{other_disk}/result"):
        with pytest.raises(InputError, match="leader_epochs"):
            repr(Replay.load(spark, place))
    elections.unlink()
    for place in (str(here), f"{other_disk}/result"):
        lost = Replay.load(spark, place)
        assert lost.isr_spans.count() > 0
        with pytest.raises(InputError, match="without the table elections"):
            lost.elections.count()
    with pytest.raises(InputError, match="rows of the table leader_epochs, and its files hold"):
        Replay.load(spark, here).leader_epochs.count()


def test_a_session_that_is_there_analyses_from_and_to_another_file_system(in_tokyo, other_disk, tmp_path):
    found = Replay.analyze(in_tokyo, inputs_of(SMALL), f"{other_disk}/night")
    assert found.path == f"{other_disk}/night"
    assert {path.name for path in (tmp_path / "mounted" / "night").iterdir()} >= {
        "tables",
        "findings.json",
        "report.html",
    }
    told = golden(tmp_path / "mounted" / "night")
    for name in COLUMNS:
        assert told[name] == (SMALL / "expected" / f"{name}.csv").read_text(encoding="utf-8"), name
    assert not in_tokyo.sparkContext._jsc.sc().isStopped()
    with pytest.raises(ReplayError, match="exists"):
        Replay.analyze(in_tokyo, inputs_of(SMALL), f"{other_disk}/night")
    again = Replay.analyze(in_tokyo, "/nowhere", f"{other_disk}/night", reuse=True)
    assert not again.leader_epochs.isEmpty()


@pytest.fixture
def volume(tmp_path, monkeypatch) -> Path:
    """A folder that stands for `/Volumes`, which Spark and this process both read and write."""
    monkeypatch.setattr("pipelines.volumes.VOLUMES", f"{tmp_path}/Volumes/")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path / "Volumes" / "ops" / "incidents" / "results"


class WithoutJvm:
    """A session as Spark Connect has it: without a JVM at hand."""

    def __init__(self, spark) -> None:
        self._spark = spark

    def __getattr__(self, name: str):
        assert name not in {"_jvm", "_jsc", "sparkContext"}, f"Spark Connect has no {name}"
        return getattr(self._spark, name)


@pytest.fixture
def analyzed(result_of, monkeypatch) -> None:
    """The analysis of `SMALL` as it was made before, so that only the copy of its result is new."""
    made = result_of(SMALL)
    monkeypatch.setattr(
        "pipelines.main_job.analyze", lambda given, folder, **options: shutil.copytree(made, folder) and None
    )


def test_a_result_is_copied_into_a_volume_without_the_jvm(spark, volume, analyzed, result_of, tmp_path):
    place = volume / "night"
    put(WithoutJvm(spark), result_of(SMALL), str(place), overwrite=False)
    copied = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
    assert copied == {str(path.relative_to(result_of(SMALL))) for path in result_of(SMALL).rglob("*") if path.is_file()}
    with pytest.raises(ReplayError, match="exists"):
        put(WithoutJvm(spark), result_of(SMALL), str(place), overwrite=False)
    (place / "of-the-first-run").touch()
    found = Replay.analyze(spark, inputs_of(SMALL), place, overwrite=True)
    assert found.path == str(place) and [path.name for path in volume.iterdir()] == ["night"]
    assert not (place / "of-the-first-run").exists()
    told = golden(place)
    for name in COLUMNS:
        assert told[name] == (SMALL / "expected" / f"{name}.csv").read_text(encoding="utf-8"), name
    assert not list(tmp_path.glob("kafka-replay-result-*")), "the copy in the temporary folder is removed"


def test_a_copy_that_fails_loses_neither_the_new_result_nor_the_old(spark, volume, analyzed, monkeypatch):
    place = volume / "night"
    Replay.analyze(spark, inputs_of(SMALL), place)
    (place / "of-the-first-run").touch()
    copyfile = shutil.copyfile

    def full(source, copy, **options):
        if Path(copy).name == "report.html" and volume in Path(copy).parents:
            raise OSError(28, "No space left on device")
        return copyfile(source, copy, **options)

    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(OutputError, match=r"No space left on device.*The finished result is kept") as refused:
        Replay.analyze(spark, inputs_of(SMALL), place, overwrite=True)
    kept = re.search(r"Replay\.load\(spark, '(.+)'\)", str(refused.value))[1]
    assert not Replay.load(spark, kept).leader_epochs.isEmpty()
    assert [path.name for path in volume.iterdir()] == ["night"] and (place / "of-the-first-run").exists()


def test_help_names_every_option_of_an_analysis_and_each_reaches_it(spark, monkeypatch):
    from pipelines import main_job

    ours = {
        "graphframes",
        "on_step",
        "on_facts",
    }  # of the command line alone: here a session is given, and nothing is printed
    options = {name: of for name, of in inspect.signature(main_job.analyze).parameters.items() if name not in ours}
    del options["inputs"], options["out"]
    named = inspect.signature(Replay.analyze).parameters
    of_tables = {
        "catalog_schema",
        "incident",
        "table",
        "columns",
        "reuse",
    }  # what is read from or written to tables, around an analysis
    assert {name: of.default for name, of in options.items()}.items() - {("spark", None)} == {
        (name, of.default) for name, of in named.items() if name not in {"spark", "paths", "out", *of_tables}
    }
    handed = {}
    monkeypatch.setattr(main_job, "analyze", lambda given, folder, **options: handed.update(options))
    wanted = {"nodes": {1: "/logs/one"}, "layout": "%m", "timezone": "Asia/Tokyo", "node_timezones": {1: "Asia/Tokyo"}}
    wanted |= {"redact": True, "format": "delta", "since": "05:00", "until": "06:00", "tz": "Asia/Seoul"}
    with pytest.raises(InputError, match="no result"):
        Replay.analyze(spark, "/nowhere", "/nowhere/out", reuse=True, **wanted)
    assert callable(handed.pop("on_step"))
    assert handed == {**wanted, "nodes": {1: Path("/logs/one")}, "overwrite": False, "shared": None, "spark": spark}


def test_every_method_names_its_options():
    methods = {
        name: of for name, of in vars(Replay).items() if not name.startswith("_") and callable(getattr(Replay, name))
    }
    for name in methods:
        kinds = {of.kind for of in inspect.signature(getattr(Replay, name)).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, name
    assert {"analyze", "append"} <= set(methods)


def test_a_place_in_a_volume_that_is_taken_is_refused_before_the_analysis(spark, volume):
    (volume / "night").mkdir(parents=True)
    with pytest.raises(OutputError, match="exists"):
        Replay.analyze(spark, "/nowhere", volume / "night")
    with pytest.raises(OutputError, match="holds no result"):
        Replay.analyze(spark, "/nowhere", volume / "night", overwrite=True)
    with pytest.raises(OutputError, match="is no folder in a volume; give"):
        Replay.analyze(spark, "/nowhere", volume)


def test_a_volume_that_renames_no_folder_gets_the_result_all_the_same(spark, volume, analyzed, monkeypatch):
    rename = Path.rename

    def only_files(path, target):
        if path.is_dir():
            raise OSError(errno.ENOSYS, "Function not implemented")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", only_files)
    for _ in range(2):
        found = Replay.analyze(spark, inputs_of(SMALL), volume / "night", overwrite=True)
        assert not found.leader_epochs.isEmpty() and [path.name for path in volume.iterdir()] == ["night"]


def test_a_run_that_fails_leaves_no_folder_but_that_of_a_finished_result(spark, volume, tmp_path, monkeypatch):
    def made(given, folder, **options):
        folder.mkdir()
        if given == ["/logs/finished"]:
            folder.rename(folder.with_name("result-made-1"))
        raise OutputError("it cannot be moved")

    monkeypatch.setattr("pipelines.main_job.analyze", made)
    for logs, left in (("/logs/unfinished", []), ("/logs/finished", ["result-made-1"])):
        with pytest.raises(OutputError, match="it cannot be moved"):
            Replay.analyze(spark, logs, volume / "night")
        assert [path.name for path in tmp_path.glob("kafka-replay-result-*/*")] == left
    assert len(list(tmp_path.glob("kafka-replay-result-*"))) == 1


@pytest.fixture(scope="module")
def findings(result_of) -> dict:
    return json.loads((result_of(TRACE) / "findings.json").read_text(encoding="utf-8"))


def test_findings_json_keeps_to_the_schema_that_docs_publish(findings):
    published = json.loads((Path(__file__).parent.parent / "docs" / "findings.schema.json").read_text(encoding="utf-8"))
    assert published == json.loads(json.dumps(schema()))
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.Draft202012Validator(published).validate(findings)
    assert set(findings) == set(published["properties"])


def test_a_broken_findings_json_is_seen(findings):
    validator = jsonschema.Draft202012Validator(schema())
    for broken in ({"schema_version": 1}, {"findings": [{"finding_id": 7}]}, {"cluster": {}}):
        assert list(validator.iter_errors(findings | broken))


def test_findings_json_shows_which_cluster_and_each_line_of_its_evidence_once(findings):
    assert findings["cluster"]["modes"] == ["zookeeper"]
    assert findings["cluster"]["releases"] == ["2.8.2"] and len(findings["cluster"]["cluster_ids"]) == 1
    assert findings["cluster"]["brokers"] == [1, 2, 3]
    root = next(f for f in findings["findings"] if f["role"] == "root_cause")
    assert 0 in next(of["partitions"] for of in root["partitions"] if of["topic"] == "orders")
    assert root["evidence"]
    for line in (findings["log_lines"][event] for event in root["evidence"]):
        text = (TRACE / "input" / line["file"]).read_text(encoding="utf-8").splitlines()[line["line"] - 1]
        assert line["text"] in text and line["level"] in text and type(line["node_id"]) is int
    assert {(s["name"], s["value"]) for s in findings["settings"] if s["topic"] == "orders"} >= {
        ("unclean.leader.election.enable", "true")
    }
    assert sum(e["elections"] for e in findings["elections"] if e["elected_from"] == "any_replica") == 6
