"""The catalogue as data: each template says where it was read, has a known kind, and knows its own example and no other's; and as text."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from pipelines.catalogue import explained, listed, unmatched
from replay.catalogue import (
    FILES,
    FILES_OF_CLIENTS,
    TEMPLATES,
    Catalogue,
    clients_catalogue,
    explain,
    heads_of,
    template_files,
)
from replay.catalogue.drafts import draft
from replay.catalogue.fields import COLUMNS, PATTERNS, pattern_of
from replay.catalogue.kinds import KINDS
from replay.catalogue.recorded import RECORDED, recorded_in
from replay.catalogue.template import Template
from replay.catalogue.template_files import templates_in, templates_of, written
from tests import recorded_examples
from tests.each import for_each

RELEASE = r"\d+(?:\.\d+){1,3}(?:-dev)?"
RANGE = re.compile(rf"({RELEASE})(?:-({RELEASE}))?")
LEVELS = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"}


def template(text: str, example: str = "", logger: str = "Partition", number: int = 1) -> Template:
    return Template(f"TST-{number:03d}", "leader_start", "INFO", logger, "3.5.2-4.3.1", text, example or text)


def fields(text: str, message: str) -> dict[str, str] | None:
    return template(text).fields_of(message)


def first_line(text: str) -> str:
    return text.split("\n")[0]


def number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.removesuffix("-dev").split("."))


def test_every_message_of_the_releases_is_there():
    assert len(TEMPLATES) > 2_500
    assert len({t.kind for t in TEMPLATES}) > 800


HEADER = "id\tkind\tlevel\tlogger\tseen\ttext\texample"
SHUT_DOWN = "TST-001\tbroker_stopped\tINFO\tKafkaServer\t4.3.1\tshut\\tdown\\nnow \\\\o/\tshut\\tdown"


def test_a_table_of_templates_shows_tabs_line_feeds_and_backslashes():
    (shut_down,) = templates_in(f"{HEADER}\n{SHUT_DOWN}\n", "a.tsv")
    assert (shut_down.id, shut_down.text, shut_down.example) == ("TST-001", "shut\tdown\nnow \\o/", "shut\tdown")
    assert written([shut_down]) == f"{HEADER}\n{SHUT_DOWN}\n"


@for_each(
    ("rows", "wrong"),
    [
        (
            [SHUT_DOWN],
            "a.tsv, line 1: the columns are not id, kind, level, logger, seen, text, example, separated by tabs",
        ),
        (
            [HEADER, SHUT_DOWN, f"{SHUT_DOWN}\tmore"],
            "a.tsv, line 3: 8 cells instead of 7 (id, kind, level, logger, seen, text, example)",
        ),
        ([HEADER, "", SHUT_DOWN], "a.tsv, line 2: 1 cells instead of 7 (id, kind, level, logger, seen, text, example)"),
        ([HEADER, SHUT_DOWN.replace("KafkaServer", "")], "a.tsv, line 2: the cell of logger is empty"),
        ([HEADER, SHUT_DOWN.replace("now", "\\x")], r"a.tsv, line 2: \x is none of \\, \t, \n"),
        ([HEADER, SHUT_DOWN + "\\"], "a.tsv, line 2: \\ is none of \\\\, \\t, \\n"),
    ],
    ids=["no header", "too many cells", "blank line", "empty cell", "unknown escape", "half an escape"],
)
def test_a_row_that_is_no_template_is_reported_with_its_line(rows, wrong):
    with pytest.raises(ValueError) as error:
        templates_in("\n".join(rows), "a.tsv")
    assert str(error.value) == wrong


def test_each_file_of_templates_is_read_and_written_as_it_stands():
    folder = Path(template_files.__file__).parent / "templates"
    named = {*FILES, *FILES_OF_CLIENTS, "host_log"}
    assert {file.name for file in folder.iterdir()} == {f"{name}.tsv" for name in named}
    assert [name for name in named if written(templates_of(name)) != (folder / f"{name}.tsv").read_text("utf-8")] == []


def test_ids_are_unique_and_of_one_form():
    assert [i for i, times in Counter(t.id for t in TEMPLATES).items() if times > 1] == []
    assert [t.id for t in TEMPLATES if not re.fullmatch(r"[A-Z]{3}-\d{3}", t.id)] == []


def test_every_template_shows_where_and_when_it_is_printed():
    assert [t.id for t in TEMPLATES if t.level not in LEVELS] == []
    assert [t.id for t in TEMPLATES if not all(t.logger.split("|"))] == []
    assert [t.id for t in TEMPLATES if not t.text or not t.example] == []


def test_every_range_of_releases_runs_forward():
    for t in TEMPLATES:
        ranges = [RANGE.fullmatch(each) for each in t.seen.split()]
        assert ranges and all(ranges), f"{t.id}: {t.seen}"
        ends = [number(end) for found in ranges if found for end in (found[1], found[2] or found[1])]
        assert ends == sorted(ends), f"{t.id}: {t.seen}"


def test_every_kind_is_explained_and_every_explanation_is_used():
    assert {t.kind for t in TEMPLATES} == KINDS.keys()
    assert all(KINDS.values())


def test_every_example_is_known_when_a_web_page_has_made_one_space_of_two():
    wrong = {}
    for t in TEMPLATES:
        found = explain(re.sub(r" {2,}", " ", first_line(t.example)), t.logger.split("|")[0])
        if found is None or found[0] is not t:
            wrong[t.id] = found and found[0].id
    assert wrong == {}


@pytest.mark.parametrize("templates", [TEMPLATES, clients_catalogue().templates], ids=["brokers", "clients"])
def test_where_several_templates_of_a_group_fit_one_has_the_longest_text(templates):
    tied = []
    catalogue = Catalogue(templates)
    for t in templates:
        if not t.needs_logger:
            message = first_line(t.example)
            alike = (o for _, o in catalogue.starting_with(t.heads))
            others = [o for o in alike if o is not t and o.fields_of(message) is not None]
            tied += [(t.id, o.id) for o in others if o.literal_length >= t.literal_length]
    assert tied == []


def test_every_example_starts_with_the_words_of_its_template():
    for t in TEMPLATES:
        prefix, word = heads_of(first_line(t.example))
        assert t.heads[0] in (None, prefix) and t.heads[1] in (None, word), t.id


def test_every_field_of_every_example_has_the_type_of_its_column():
    for t in TEMPLATES:
        for name, value in (t.fields_of(first_line(t.example)) or {}).items():
            if COLUMNS.get(name) in ("int", "bigint"):
                assert re.fullmatch(r"-?\d+", value), f"{t.id}: {name}={value}"
            elif COLUMNS.get(name) == "array<int>":
                assert re.fullmatch(r"\d+(, ?\d+)*|(BrokerState\(.*?\)(, )?)+", value), f"{t.id}: {name}={value}"


def test_every_named_pattern_captures_something():
    for name in PATTERNS:
        assert re.compile(re.sub(r"\(\?P<\w+>", "(", pattern_of(name))).groups >= 1, name


@for_each(
    ("name", "text", "value"),
    [
        ("isr", "1,2", "1,2"),
        ("isr", "[1, 2]", "1, 2"),
        ("isr", "List(1, 2)", "1, 2"),
        ("isr", "Set()", None),
        ("high_watermark", "118", "118"),
        ("high_watermark", "118 [0 : 42]", "118"),
        ("high_watermark", "(offset=118 segment=[0:42])", "118"),
        ("high_watermark", "(offset=118segment=[0:42])", "118"),
        ("high_watermark", "(offset=118, segment=[0:42])", "118"),
        ("previous_leader", "Some(2)", "2"),
        ("previous_leader", "None", "None"),
        ("topic_id", "Some(X8snIzwvRQ2wDuEVgycxrQ)", "X8snIzwvRQ2wDuEVgycxrQ"),
    ],
)
def test_one_field_is_read_alike_in_all_its_sessionings(name, text, value):
    assert fields(f"it is {{{name}}} now", f"it is {text} now") == ({name: value} if value is not None else {})


def test_a_topic_ends_at_the_last_hyphen():
    assert fields("Replica {topic_partition} is out", "Replica my-topic-7-3 is out") == {
        "topic": "my-topic-7",
        "partition": "3",
    }
    assert fields("Replica {topic_partition} is out", "Replica [my-topic,3] is out") == {
        "topic": "my-topic",
        "partition": "3",
    }


def test_a_field_logged_twice_holds_one_value():
    text = "Moving {topic_partition} as leader of {topic_partition}"
    assert fields(text, "Moving orders-3 as leader of orders-3") == {"topic": "orders", "partition": "3"}
    assert fields(text, "Moving orders-3 as leader of orders-4") is None


def test_a_part_of_its_own_counts_before_one_inside_a_larger_text():
    told = fields(
        "Cached {partition_state} for {topic_partition} of controller epoch {controller_epoch}",
        "Cached LeaderAndIsrPartitionState(topicName='', partitionIndex=9, controllerEpoch=4, leader=2, leaderEpoch=7, isr=[2, 3], partitionEpoch=12, "
        "replicas=[1, 2, 3], isNew=false) for orders-3 of controller epoch 5",
    )
    assert told is not None and (told["topic"], told["partition"], told["controller_epoch"], told["leader_id"]) == (
        "orders",
        "3",
        "5",
        "2",
    )


def test_an_optional_part_may_be_missing():
    text = "Shut down{ of {broker_id}| by hand?} completed"
    assert fields(text, "Shut down of 4 completed") == {"broker_id": "4"}
    assert fields(text, "Shut down by hand completed") == fields(text, "Shut down completed") == {}
    assert fields(text, "Shut down by 4 completed") is None


def test_text_can_fill_a_field_as_it_stands():
    text = "Heartbeat failed due to {reason::fatal error: {error}}."
    assert fields(text, "Heartbeat failed due to fatal error: NONE.") == {
        "reason": "fatal error: NONE",
        "error": "NONE",
    }
    assert fields(text, "Heartbeat failed due to error: NONE.") is None
    assert template(text).literal_length == len("Heartbeatfailedduetofatalerror:.")


def test_a_brace_that_names_no_field_is_text():
    assert fields('data {"version":1,"id":{broker_id}}', 'data {"version":1,"id":4}') == {"broker_id": "4"}


def test_a_last_field_runs_to_the_end_without_trailing_blanks():
    assert fields("Resigned: {reason}", "Resigned: lost the majority \t") == {"reason": "lost the majority"}
    assert fields("Resigned: {reason}", "Resigned: ") == {}


def test_heads_are_the_words_before_the_first_value():
    assert template("[Broker id={broker_id}] Cached leader").heads == ("Broker", "Cached")
    assert template("[Broker id={broker_id}] {error}").heads == ("Broker", None)
    assert template("Topic{topic} gone").heads == ("", None), "the word could go on"
    assert template("{client_prefix}Node {node} gone").heads == (None, "Node")
    assert template("{path} exists with value").heads == ("", None)


def test_an_open_start_stands_in_every_group_that_is_open():
    open_start, prefixed = (
        template("[{thread_name}]: \tFound {count} bad", number=1),
        template("[Broker id={broker_id}] {error} was met", number=2),
    )
    found = Catalogue((open_start, prefixed)).starting_with(("Broker", None))
    assert [one for _, one in found] == [prefixed, open_start]


def test_explain_knows_a_message_with_hardly_any_text_by_its_logger():
    found = explain("java.io.IOException: Connection reset", "kafka.Kafka$")
    assert found is not None and found[0].text == "{exception}"
    assert explain("java.io.IOException: Connection reset", "kafka.server.KafkaApis") is None
    assert explain("no message of Kafka's") is None


def test_the_draft_of_every_example_fits_it():
    assert [
        t.id for t in TEMPLATES if template(draft(first_line(t.example))).fields_of(first_line(t.example)) is None
    ] == []


@for_each(
    ("message", "text"),
    [
        (
            "[Broker id=1] Paused orders-3 at leader epoch 7 from offset 120",
            "[Broker id={broker_id}] Paused {topic_partition} at leader epoch {leader_epoch} from offset {offset}",
        ),
        (
            "[Controller id=1 epoch=4] Asked broker 2 with correlation id 9",
            "[Controller id={controller_id} epoch={controller_epoch}] Asked broker {broker_id} with correlation id {correlation_id}",
        ),
        (
            "[Partition [orders,3]: ISR 1,2,3 from controller 1 epoch 4",
            "[Partition {topic_partition}: ISR {isr} from controller {controller_id} epoch {controller_epoch}",
        ),
        (
            "Moved orders-3 beside orders-4, orders-3 stays",
            "Moved {topic_partition} beside {topic_partition_2}, {topic_partition} stays",
        ),
        (
            "Waited 40 ms for 3 partitions of 'it' in /var/kafka",
            "Waited {duration_ms} ms for {partition_count} partitions of '{of}' in {path}",
        ),
        (
            "Now (Leader:1,ISR:1,2,LeaderEpoch:5,ControllerEpoch:3) is set",
            "Now {leader_isr_and_controller_epoch} is set",
        ),
        ("Nothing to see here", "Nothing to see here"),
    ],
)
def test_a_draft_names_values_after_the_words_around_them(message, text):
    assert draft(message) == text


def test_the_examples_that_stand_in_bundled_recordings_are_those_that_are_said_to_be_recorded_there():
    bundled = {folder.name for folder in recorded_examples.traces()}
    said = {name: ids.split() for name, ids in RECORDED.items() if name in bundled}
    assert len(said) > 5 and sum(map(len, said.values())) > 200
    assert recorded_examples.found((folder.name, folder) for folder in recorded_examples.traces()) == said


def test_an_example_is_recorded_once_and_belongs_to_a_template():
    ids = [template_id for ids in RECORDED.values() for template_id in ids.split()]
    assert len(ids) == len(set(ids))
    assert set(ids) <= {t.id for t in TEMPLATES}


def test_the_list_says_which_examples_were_recorded_and_their_share():
    recorded, made = next(iter(recorded_in())), next(t.id for t in TEMPLATES if t.id not in recorded_in())
    lines = list(listed([t for t in TEMPLATES if t.id in (recorded, made)]))
    assert [line for line in lines if line.startswith(recorded) and "  recorded  " in line]
    assert [line for line in lines if line.startswith(made) and "  made      " in line]
    assert lines[-1].startswith("1 of 2 examples were recorded (50 %)")


def test_the_list_has_a_line_for_each_template():
    lines = list(listed())
    assert len(lines) == len(TEMPLATES) + 2  # a heading, and the share of recorded examples
    assert lines[0].split()[:4] == ["id", "kind", "level", "logger"]
    assert all("\n" not in line for line in lines)
    assert "Stopped fetchers" in next(
        line for line in listed([template("Stopped fetchers", number=7)]) if line.startswith("TST-007")
    )


FOLLOWS = (
    "[Broker id=1] Follower orders-3 starts at leader epoch 4 from offset 17 with partition epoch 5 and high watermark 16. Current leader is 2. "
    "Previous leader Some(3) and previous leader epoch was 3."
)


@pytest.mark.parametrize(
    "line",
    [
        FOLLOWS,
        f"[2026-11-21 05:34:41,986] INFO {FOLLOWS} (state.change.logger)\n",
        f"kafka-1  | [2026-11-21 05:34:41,986] INFO {FOLLOWS} (state.change.logger)",
        json.dumps(
            {
                "@timestamp": "2026-11-21T05:34:41.986Z",
                "log.level": "INFO",
                "message": FOLLOWS,
                "log.logger": "state.change.logger",
            }
        ),
    ],
    ids=["message", "default", "compose", "json"],
)
def test_a_line_is_explained_in_any_layout(line):
    told = [re.split(r"  +", row.strip()) for row in explained(line)]
    assert told[0] == ["PRT-010", "follower_start"]
    assert (
        ["leader_epoch", "int", "4"] in told
        and ["log_end_offset", "bigint", "17"] in told
        and ["topic", "string", "orders"] in told
    )
    assert ["previous_leader", "detail", "3"] in told


def test_a_line_that_no_template_knows_comes_back_as_a_draft():
    told = "\n".join(
        explained("[2026-11-21 05:34:41,986] WARN [Broker id=1] Paused orders-3 (kafka.cluster.Partition)")
    )
    assert "No template knows" in told
    row = "…\t…\tINFO\tPartition\t…\t[Broker id={broker_id}] Paused {topic_partition}\t[Broker id=1] Paused orders-3"
    assert told.splitlines()[-1] == row


def test_what_no_template_knows_is_drafted_once_a_wording(spark, tmp_path):
    lines = [
        f"[2026-11-21 05:34:41,98{n}] WARN [Broker id={n}] Paused orders-{n} (kafka.cluster.Partition)"
        for n in range(3)
    ]
    lines += [
        "[2026-11-21 05:34:42,000] INFO Snapshotting 4 things (org.apache.zookeeper.server.Made)",
        f"[2026-11-21 05:34:43,000] INFO {FOLLOWS} (state.change.logger)",
    ]
    (tmp_path / "node-1").mkdir()
    (tmp_path / "node-1" / "server.log").write_text("\n".join(lines) + "\n")
    told = list(unmatched([str(tmp_path)]))
    assert [line.split(";")[0].split(",")[0] for line in told if line.startswith("#")] == ["# 3 times", "# 1 times"], (
        "Kafka's own first"
    )
    assert next(line for line in told if "\t" in line).split("\t")[-2:] == [
        "[Broker id={broker_id}] Paused {topic_partition}",
        "[Broker id=0] Paused orders-0",
    ]
    assert told[-1] == "2 wordings that no template knows, 4 records; of Kafka's own loggers 1 wordings, 3 records."


def test_a_line_of_a_host_is_explained_too():
    line = "Nov 21 05:37:33 kafka-2 kernel: [1297859.1] Out of memory: Kill process 27364 (java) score 933 or sacrifice child"
    told = list(explained(line))
    assert told[:2] == [
        "HST-003  kernel_oom_kill",
        "means    The kernel killed a process because the host ran out of memory",
    ]
    assert told[-3:] == ["  pid  27364", "  process  java", "  score  933"]
