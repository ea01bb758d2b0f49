"""Each stage of reading, hiding, explaining and drawing needs time in proportion to its input, whatever strangers
write into a log.
"""

from __future__ import annotations

import pandas as pd

from pipelines.answers.lines import of_text
from replay.reading.secrets import hidden_lines, hidden_text
from tests.doubling import grows_too_fast
from tests.each import for_each
from viz.partitions import Step, _story


def test_a_stage_that_compares_all_parts_is_found_and_a_linear_one_is_not():
    assert grows_too_fast(lambda parts: [sum(parts[:i]) for i in range(len(parts))], lambda n: [1] * n, 500)
    assert grows_too_fast(lambda parts: [sorted(str(part)) for part in parts], lambda n: [1] * n, 500) is None


def test_the_history_of_a_partition_with_many_steps():
    def steps(count: int) -> list[Step]:
        begin = pd.Timestamp("2026-11-21 05:30")
        kinds = ("leader", "ISR", "cut")
        return [Step(begin + pd.Timedelta(seconds=n), kinds[n % 3], f"step {n}", ()) for n in range(count)]

    assert grows_too_fast(lambda given: _story(("orders", 0), given), steps, 500) is None


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


@for_each("part", HOSTILE.values())
def test_hiding_secrets(part):
    for hide in (hidden_text.__wrapped__, hidden_lines):
        assert grows_too_fast(hide, lambda count: part * count, 40) is None, hide


@for_each("part", HOSTILE.values())
def test_explaining(part):
    head = "[2026-11-21 05:34:12,000] ERROR Something failed (kafka.server.KafkaServer)\n"
    assert grows_too_fast(of_text, lambda count: head + part * count, 20) is None
    assert grows_too_fast(of_text, lambda count: (head + part + "\n") * count, 20) is None
