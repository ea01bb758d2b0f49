"""One incident, as terminals, mails, tickets, container runtimes and stores of logs hand it over: the answer is the same."""

from __future__ import annotations

import json
import textwrap

from pipelines.answers.lines import of_text
from tests.each import for_each

INCIDENT = (
    (
        "2024-03-05 10:00:01,250",
        "WARN",
        "[ReplicaManager broker=2] Stopping serving replicas in dir /var/lib/kafka/data",
        "kafka.server.ReplicaManager",
    ),
    (
        "2024-03-05 10:00:01,300",
        "INFO",
        "[Partition payments-4 broker=2] Shrinking ISR from 2,3 to 2. Leader: (highWatermark: 812, endOffset: 830). Out of sync replicas: (brokerId: 3, endOffset: 812).",
        "kafka.cluster.Partition",
    ),
    (
        "2024-03-05 10:00:02,000",
        "ERROR",
        "Shutdown broker because all log dirs in /var/lib/kafka/data have failed",
        "kafka.log.LogManager",
    ),
)
ROWS = [f"[{ts}] {level} {message} ({logger})" for ts, level, message, logger in INCIDENT]


def each(shape: str) -> str:
    """Each row in a frame: `#` is its number, `…` the row."""
    return "\n".join(shape.replace("#", str(number)).replace("…", row) for number, row in enumerate(ROWS, start=101))


def wrapped(width: int) -> str:
    return "\n".join(row[at : at + width] for row in ROWS for at in range(0, len(row), width))


SHAPES = {
    **{f"wrapped at {width}": wrapped(width) for width in (72, 80, 100, 120)},
    "wrapped between words": "\n".join(
        part for row in ROWS for part in textwrap.wrap(row, 80, break_long_words=False, break_on_hyphens=False)
    ),
    "a mail's quote": each("> …"),
    "a quote of a quote": each("> > …"),
    "indented": each("    …"),
    "a tab before": each("\t…"),
    "a ticket's number above": "OPS-4711\n" + each("…"),
    "a ticket's number before": each("OPS-4711: …"),
    "numbered": each("#: …"),
    "numbered with a tab": each("#\t…"),
    "grep -n": each("server.log:#:…"),
    "colors": each("\x1b[32m…\x1b[0m"),
    "colors without the escape": each("[32m…[0m"),
    "Windows line ends": each("…").replace("\n", "\r\n"),
    "a fence of Markdown": f"```\n{each('…')}\n```",
    "a table of Markdown": each("| … |"),
    "blank lines between": each("…\n"),
    "spaces that do not break": each("…").replace(" ", "\xa0", 3),
    "entities of HTML": each("…").replace("(", "&#40;"),
    "kubectl --prefix": each("[pod/kafka-2/kafka] …"),
    "docker compose": each("kafka-2  | …"),
    "times of a runtime": each("2024-03-05T10:00:01.300000000Z …"),
    "CRI": each("2024-03-05T10:00:01.300000000Z stdout F …"),
    "the journal": each("Mar 05 10:00:01 kafka-2 kafka-server-start.sh[1234]: …"),
    "Docker's JSON": "\n".join(
        json.dumps({"log": f"{row}\n", "stream": "stdout", "time": "2024-03-05T10:00:01.3Z"}) for row in ROWS
    ),
    "JSON records": "\n".join(
        json.dumps(
            {
                "@timestamp": f"{ts.replace(' ', 'T').replace(',', '.')}Z",
                "level": level,
                "logger": logger,
                "message": message,
            }
        )
        for ts, level, message, logger in INCIDENT
    ),
    "Spring Boot": "\n".join(
        f"{ts.replace(',', '.')}  {level:5} 1 --- [main] {logger} : {message}"
        for ts, level, message, logger in INCIDENT
    ),
    "a thread behind": each("… [main]"),
    "CSV of Kibana": '"@timestamp","message"\n' + each('"Mar 5, 2024 @ 10:00:01.250","…"'),
    "CSV of Splunk": '"_raw","_time",host\n' + each('"…","2024-03-05T10:00:01.250+0000","kafka-2"'),
    "CSV of CloudWatch": "timestamp,message\n" + each('1709632800#,"…"'),
    "aws logs tail": each("2024-03-05T10:00:01.300000+00:00 kafka-2 …"),
    "logcli of Loki": each('2024-03-05T10:00:01Z {app="kafka", pod="kafka-2"} …'),
    "JSON of Loki": "\n".join(
        json.dumps({"line": row, "timestamp": "1709632801300000000", "fields": {"pod": "kafka-2"}}) for row in ROWS
    ),
}


def told(text: str) -> tuple[str, list[str], list[str]]:
    answer = of_text(text + "\n")
    return answer.summary, sorted(one.says for one in answer.told), [event.says for event in answer.events]


@for_each("shape", SHAPES)
def test_the_shape_of_a_paste_does_not_change_its_answer(shape):
    assert told(SHAPES[shape]) == told(each("…"))


def test_the_answer_names_what_happened():
    assert told(each("…"))[1] == [
        "Broker 2 began to remove broker 3 from the ISR of payments-4: behind for longer than replica.lag.time.max.ms (broker 3 at 812; the leader's log ends at 830).",
        "Broker 2 lost /var/lib/kafka/data, which went offline, and serves nothing from there anymore.",
        "Broker 2 stopped itself: all of its log directories have failed (/var/lib/kafka/data).",
    ]


def test_an_exception_within_a_cell_of_csv_stays_with_its_record():
    rows = (
        'timestamp,message\n1709632800101,"[2024-03-05 10:00:01,250] ERROR Error while flushing log for orders-0 in dir /d with offset 5 (kafka.server.LogDirFailureChannel)\n'
        'java.io.IOException: No space left on device\n\tat java.base/sun.nio.ch.FileDispatcherImpl.force0(Native Method)"\n'
    )
    (one,) = of_text(rows).told
    assert one.cause == "disk-full"
