"""Each stage of reading, hiding, explaining, analyzing and drawing needs time in proportion to its input, whatever
strangers write into a log.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.memory import one_partition
from benchmarks.scaling import partitions, quiet
from pipelines.answers.in_process import run_here
from pipelines.answers.lines import of_text
from pipelines.inputs import gather
from pipelines.reading import records_here
from replay.reading.secrets import hidden_lines, hidden_text
from tests.doubling import SOON, SURE, grows_too_fast
from tests.large_page import large_frames
from tests.test_report import page
from viz.partitions import Step, _story

each_size = pytest.mark.parametrize("seconds", [SOON, pytest.param(SURE, marks=pytest.mark.nightly)])

BEGIN = "-----BEGIN PRIVATE KEY-----"
HOSTILE = {
    "headers of tables": "token expired, retry\n",
    "headers and rows in turn": "user,password\nalice,x1y2\n",
    "begins of keys": f"{BEGIN}\n",
    "begins of keys on one line": BEGIN,
    "keys": f"{BEGIN}\nQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\n",
    "names of passwords": "password=x1y2z3 ",
    "names without values": "password: ",
    "values above names": "value: x1\nname: password\n",
    "secrets of Kubernetes": "kind: Secret\ndata:\n  a: eDF5Mg==\n---\n",
    "quotes": "password=\"'",
    "brackets": "{password=[",
    "URLs": "https://alice:x1y2@",
    "encodings": "%70assword%3D",
    "continued lines": "password=a\\\n",
}  # fmt: skip

STAMP = "[2026-11-21 05:34:12,000] "
HEAD = STAMP + "ERROR Something failed (kafka.server.KafkaServer)\n"
STARTED = STAMP + "INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n"
FILES = {
    "records": STARTED,
    "lines without a head": "something else\n",
    "frames of a trace": "\tat a.b.C(D.java:1)\n",
    "empty lines": "\n",
    "carriage returns": "\r",
    "words on one line": "a=b, [x] orders-0 ",
    "records as JSON": '{"timestamp":"2026-11-21T05:34:43.123Z","level":"INFO","message":"[KafkaServer id=1] started"}\n',
    "half an object on each line": '{"timestamp":"2026-11-21T05:34:43.123Z","message":{\n',
    "brackets of JSON": '{"a":[',
    "quotes and backslashes": '\\"',
    "a label before each line": "kafka-1  | " + STARTED,
    "two labels in turn": "kafka-1  | " + STARTED + "kafka-2  | " + STARTED,
    "lines of a journal": "Nov 21 05:31:44 host1 kafka-server-start.sh[77]: " + STARTED,
    "lines of the kernel": "Nov 21 05:31:44 host1 kernel: Out of memory: Killed process 4711 (java) total-vm:1kB\n",
    "settings": "\tmin.insync.replicas = 2\n",
    "colors and other spaces": "\x1b[31m\u00a0\u200b",
    "records cut by a terminal": STAMP + "INFO [KafkaServer\n  id=1] started (kafka.server.\n  KafkaServer)\n",
    "topics": "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\n",
    "batches of a dump": "| offset: 5 CreateTime: 1700000000000 keySize: -1 valueSize: 5 payload: {}\n",
}  # fmt: skip


def test_a_stage_that_compares_all_parts_is_found_and_a_linear_one_is_not():
    assert grows_too_fast(lambda parts: [sum(parts[:i]) for i in range(len(parts))], lambda n: [1] * n, 500)
    assert grows_too_fast(lambda parts: [sorted(str(part)) for part in parts], lambda n: [1] * n, 500) is None


@each_size
def test_hiding_secrets(seconds):
    stages = (hidden_text.__wrapped__, hidden_lines)
    assert (
        _too_fast(
            {(name, hide): (hide, _repeated(part)) for name, part in HOSTILE.items() for hide in stages}, 40, seconds
        )
        == {}
    )


@each_size
def test_explaining(seconds):
    below = {name: (of_text, lambda count, part=part: HEAD + part * count) for name, part in HOSTILE.items()}
    between = {(name, "each"): (of_text, _repeated(HEAD + part + "\n")) for name, part in HOSTILE.items()}
    assert _too_fast(below | between, 20, seconds) == {}


@each_size
def test_reading(seconds, tmp_path):
    read = partial(_read, tmp_path)
    below = {name: (read, lambda count, part=part: STARTED + part * count) for name, part in FILES.items()}
    assert _too_fast(below, 50, seconds) == {}


@each_size
def test_reading_texts_that_are_all_different(seconds, tmp_path):
    def sized(count: int) -> str:
        chosen = random.Random(count)
        return "".join(f"{STAMP}WARN {chosen.randbytes(6).hex()} of topic-{n} (a.B{n})\n" for n in range(count))

    assert grows_too_fast(partial(_read, tmp_path), sized, 50, seconds=seconds) is None


HISTORIES: dict[str, tuple[Callable[[Path, int], Path], int]] = {
    "partitions": (partitions, 1),
    "steps of one partition": (one_partition, 200),
    "nodes": (lambda folder, nodes: quiet(folder, 30, nodes), 4),
    "different texts": (lambda folder, texts: quiet(folder, 3 * texts, 1, texts), 50),
}


@each_size
def test_analyzing(seconds):
    def analyzed(folder: Path) -> None:
        with run_here([folder]) as run:
            assert run is not None

    made = {}
    with tempfile.TemporaryDirectory() as above:
        for name, (make, size) in HISTORIES.items():

            def sized(count: int, name: str = name, make: Callable[[Path, int], Path] = make) -> Path:
                folder = Path(above, name, str(count))
                if not folder.exists():
                    folder.mkdir(parents=True)
                    make(folder, count)
                return folder

            made[name] = grows_too_fast(analyzed, sized, size, seconds=seconds)
    assert {name: told for name, told in made.items() if told} == {}


def test_the_history_of_a_partition_with_many_steps():
    def steps(count: int) -> list[Step]:
        begin = pd.Timestamp("2026-11-21 05:30")
        kinds = ("leader", "ISR", "cut")
        return [Step(begin + pd.Timedelta(seconds=n), kinds[n % 3], f"step {n}", ()) for n in range(count)]

    assert grows_too_fast(lambda given: _story(("orders", 0), given), steps, 500) is None


@each_size
def test_drawing(seconds):
    by_partitions = grows_too_fast(page, lambda count: large_frames(count, 4), 20, seconds=seconds)
    by_incidents = grows_too_fast(page, lambda count: large_frames(4 * count, count), 4, seconds=seconds)
    assert (by_partitions, by_incidents) == (None, None)


def _read(folder: Path, text: str) -> None:
    file = folder / "node-1" / "server.log"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")
    with tempfile.TemporaryDirectory() as work:
        for _ in records_here(gather([file.parent], {}, Path(work))):
            pass


def _repeated(part: str) -> Callable[[int], str]:
    return lambda count: part * count


def _too_fast(stages, size: int, seconds: float) -> dict[object, str]:
    """The stages whose time grows faster than their input, with what shows it."""
    found = {name: grows_too_fast(stage, sized, size, seconds=seconds) for name, (stage, sized) in stages.items()}
    return {name: told for name, told in found.items() if told is not None}
