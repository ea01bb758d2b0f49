"""From when on a partition can have taken writes: its first leader's line, not the controller's."""

from __future__ import annotations

from tests.availability.frames import Case
from tests.each import for_each

HEAD = """
    life | leader_epoch | leader_id | reason  | confidence | start_ts | end_ts
    1    | 0            | 1         | {0:7} | {1:10} | 10:00:00 | {2}"""
LEADS = """
    ts       | kind         | node_id | leader_epoch
    {0} | leader_start | {1}       | 0            """


def opens(epochs: str, events: str = "ts") -> list[str]:
    available = Case(leader_epochs=epochs, isr_spans="leader_id", events=events).available()
    return [
        f"{row.state} {row.start_ts:%H:%M:%S}-{f'{row.end_ts:%H:%M:%S}' if row.end_ts else ''}"
        for row in available
        if row.acks == "1"
    ]


@for_each(
    ("epoch", "events", "begins"),
    [
        (("created", "observed"), LEADS.format("10:00:03", 1), "10:00:03"),
        (("created", "observed"), LEADS.format("10:00:09", 1), "10:00:09"),
        (("created", "observed"), LEADS.format("10:00:03", 2), "10:00:03"),
        (("created", "observed"), "ts", "10:00:05"),
        (("created", "inferred"), LEADS.format("10:00:03", 1), "10:00:00"),
        (("unknown", "observed"), LEADS.format("10:00:03", 1), "10:00:00"),
    ],
    ids=[
        "the controller created it, its leader took it up three seconds later",
        "its leader took it up late",
        "a later leader took it up, no line shows that the first one did",
        "no line shows that a leader took it up",
        "it existed before the logs begin",
        "it existed before: a later leader epoch",
    ],
)
def test_a_new_partition_takes_writes_from_its_leaders_line_on(epoch, events, begins):
    assert opens(HEAD.format(*epoch, ""), events) == [f"open {begins}-"]


def test_a_partition_has_no_availability_while_its_topic_does_not_exist():
    epochs = HEAD.format("created", "observed", "10:10:00") + "\n    2 | 0 | 1 | created | observed | 10:20:00 | "
    events = LEADS.format("10:00:01", 1) + "\n    10:20:02 | leader_start | 1 | 0"
    assert opens(epochs, events) == ["open 10:00:01-10:10:00", "open 10:20:02-"]
