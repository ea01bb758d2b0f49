"""No record ends a run, whatever it holds: what cannot be is missing, the record is kept as text, and those after it are read."""

import json
import re

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replay.catalogue import TEMPLATES
from replay.reading.matching import integer, integers
from replay.reading.set_aside import SET_ASIDE
from replay.reading.shell import File, _Shell, read_text
from replay.reading.texts import lines_of
from replay.reading.wrappers import members_of
from replay.reading.writers import node_named
from tests.each import for_each

FILE = File("node-1/server.log", None, "default")
HEAD = "[2026-11-21 05:34:44,123] INFO "
AFTER = f"{HEAD}[KafkaServer id=1] started (kafka.server.KafkaServer)"


def printed(text, layout="default"):
    """The rows that Spark is handed."""
    file = FILE._replace(layout=layout)
    batch = pa.RecordBatch.from_pydict({"path": ["a"], "value": [text]})
    return [row for part in _Shell({"a": file}, None)([batch]) for row in part.to_pylist()]


@for_each(
    ("message", "is_set_aside"),
    [
        ("[Session id=1700000000000] opened", False),
        ("[KafkaServer id=" + "1" * 5_000 + "] started", True),
        ("Kafka startTimeMs: 99999999999999999999", True),
        ("Kafka startTimeMs: 1732167283123", False),
        ("Deleted segment 00000000000000000012.log.deleted", False),
        ("offset 9223372036854775807", False),
    ],
)
def test_a_number_beyond_64_bits_sets_its_record_aside(message, is_set_aside):
    first, second = printed(f"{HEAD}{message} (kafka.X)\n{AFTER}")
    assert first["message"].startswith(SET_ASIDE) == is_set_aside
    assert second["kind"] == "broker_started"


@pytest.mark.parametrize("id_", ["2147483648", "1700000000000", "9" * 30, "9" * 5_000])
def test_no_node_has_an_id_beyond_32_bits(id_):
    assert node_named(f"[KafkaServer id={id_}] started") is None


def test_a_list_with_an_impossible_node_is_missing_as_a_whole():
    assert (integers("1, 2"), integers("1, 99999999999")) == ([1, 2], None)


def test_a_number_that_has_no_next_one_is_missing():
    assert (integer("2147483646"), integer("2147483647")) == (2_147_483_646, None)
    assert (integer("9223372036854775806", "bigint"), integer("9223372036854775807", "bigint")) == (2**63 - 2, None)


def test_half_a_character_in_json_is_replaced():
    line = json.dumps(
        {"timestamp": "2026-11-21T05:34:44.123Z", "level": "INFO", "logger": "k.X", "message": "id \ud800"}
    )
    assert [row["message"] for row in printed(line, "json")] == ["id \ufffd"]


def test_json_that_is_nested_deep_is_a_line_of_text():
    deep = '{"level":"INFO","message":"x","y":' + "[" * 3_000 + "]" * 3_000 + "}"
    assert members_of(deep) == {}
    assert len(printed(f"{deep}\n{AFTER}", "json|default")) == 2


@pytest.mark.parametrize(
    "begin", ['{"log":"x","y":', '{"brokers":', '{"data":', '{"level":"ERROR","msg":"x","y":', "[0m"]
)
def test_a_record_below_json_that_is_nested_deep_is_explained(begin):
    lines = list(lines_of(f"{begin}{'[' * 3_000}{']' * 3_000}}}\n{AFTER}", "server.log"))
    assert lines[-1].message == "[KafkaServer id=1] started"


def test_a_record_that_cannot_be_understood_leaves_the_others(monkeypatch):
    def fails(message, logger, catalogue):
        if "bad" in message:
            raise OverflowError("too large")
        return

    monkeypatch.setattr("replay.reading.records.understood", fails)
    first, second = read_text(f"{HEAD}bad\n{HEAD}good", FILE)
    assert (first.message, second.message) == (f"{SET_ASIDE} (OverflowError: too large): bad", "good")


_NUMBERS = st.one_of(
    st.sampled_from([0, -1, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, 10**19, 10**20, 10**30]).map(str),
    st.integers(1, 6_000).map(lambda length: "9" * length),
)
_FIELD = re.compile(r"(?<![\w.])-?\d+(?![\w.])")


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(TEMPLATES), st.lists(_NUMBERS, min_size=1, max_size=6))
def test_any_number_in_any_message_is_read_or_missing(template, numbers):
    at = iter(range(10_000))
    message = _FIELD.sub(lambda found: numbers[next(at) % len(numbers)], template.example.split("\n")[0])
    rows = printed(f"{HEAD}{message} (kafka.X)\n{AFTER}")
    assert rows[-1]["kind"] == "broker_started"
