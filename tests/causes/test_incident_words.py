"""An incident of several faults in one sentence each: nobody it befell is left out, and a link between two is told once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from replay.causes.incident import Incident, Root
from replay.causes.incident_words import title, told
from replay.sentences.incidents import INCIDENT_TITLES
from replay.tables.causes import Conclusion
from replay.tables.faults import FAULTS
from replay.tables.losses import LOSSES
from tests.tables import rows

TITLES = {
    "cut-2": "Broker 2 was cut off from broker 4 alone",
    "cut-4": "Broker 4 was cut off from broker 2 alone",
    "kill-1": "Broker 1 crashed or was killed",
    "kill-2": "Broker 2 crashed or was killed",
}
SEVERITY = {"kill-1": "high", "kill-2": "critical"}


def incident_of(faults: str, titles: dict[str, str] = TITLES, witnesses: dict[str, str] | None = None) -> Incident:
    found = rows(FAULTS, faults)
    roots = [
        Root(
            Conclusion(
                finding_id=one.fault_id,
                role="root_cause",
                severity=SEVERITY.get(one.fault_id, "medium"),
                broker_ids=[one.broker_id],
                start_ts=one.ts,
                end_ts=one.ts,
                began_low=one.began_low,
                began_high=one.ts,
                is_broker=True,
            ),
            titles[one.fault_id],
            one,
            (witnesses or {}).get(one.fault_id),
            (witnesses or {}).get(one.fault_id) == "memory",
        )
        for one in found
    ]
    return Incident("one", found[0].ts, found[0].ts + timedelta(minutes=1), roots=roots)


SEVERAL = """
    fault_id | kind     | broker_id | peers | began_low | ts
    cut-2    | link_cut | 2         | 4     | 10:00:06  | 10:00:09
    cut-4    | link_cut | 4         | 2     | 10:00:06  | 10:00:09
    kill-1   | killed   | 1         |       | 10:00:09  | 10:00:10
    kill-2   | killed   | 2         |       | 10:00:20  | 10:00:21 """


def test_whom_the_second_kind_of_fault_befell_is_told_too_and_a_link_once():
    sentences = told(incident_of(SEVERAL))
    assert sentences.startswith(
        "Broker 2 was cut off from broker 4 alone (this began between 10:00:06 and 10:00:09). "
        "Broker 1 crashed or was killed at 10:00:10; broker 2 too, within 12.0 s."
    )


def test_that_nobody_knows_whether_records_were_lost_is_told_in_one_sentence():
    lost = rows(
        LOSSES,
        """
        topic  | partition | loss_class | verdict      | from_offset | to_offset_low | to_offset_high
        orders | 0         | committed  | UNDETERMINED | 139         | 139           |                """,
    )
    sentences = told(replace(incident_of(SEVERAL), losses=lost))
    assert sentences.startswith("These files do not show whether records of orders were lost. Broker 2 was")


def test_the_title_names_the_worst_of_the_other_faults():
    said = title(incident_of(SEVERAL))
    assert INCIDENT_TITLES.say(said.reason, said.arguments) == (
        "Broker 2 was cut off from broker 4 alone; broker 2 crashed or was killed; 1 other fault"
    )


def test_a_broker_that_dies_again_and_again_is_in_a_crash_loop():
    """Three times, each within five minutes of the one before; two deaths are none, nor three in an hour."""
    deaths = """
        fault_id | kind   | broker_id | began_low | ts
        kill-1   | killed | 1         | 10:00:09  | 10:00:10
        kill-1   | killed | 1         | 10:00:26  | 10:00:27
        kill-1   | killed | 1         | 10:00:43  | {} """
    said = [title(incident_of(deaths.format(last))) for last in ("10:00:44", "10:30:00")]
    assert [INCIDENT_TITLES.say(one.reason, one.arguments) for one in said] == [
        "Broker 1 crashed or was killed; 3 times in all, a crash loop within 35.0 s",
        "Broker 1 crashed or was killed; 3 times in all",
    ]


def test_two_links_of_one_broker_are_two():
    other = SEVERAL.replace("cut-4    | link_cut | 4         | 2 ", "cut-4    | link_cut | 4         | 3 ")
    assert "; broker 4 too, within 3.0 s." in told(incident_of(other))


def test_what_a_witness_tells_of_one_end_is_not_told_of_another():
    """Nor is the time told twice that its title ends with."""
    ends = """
        fault_id | kind   | broker_id | began_low | ts
        kill-1   | killed | 1         | 10:00:09  | 10:00:10
        kill-2   | killed | 2         | 10:00:20  | 10:00:21 """
    titles = TITLES | {"kill-1": "Broker 1 was killed by the kernel: out of memory, 10:00:10"}
    alone = incident_of(ends, titles, {"kill-1": "memory", "kill-2": "kernel_saw_nothing"})
    said = title(alone)
    assert INCIDENT_TITLES.say(said.reason, said.arguments) == (
        "Broker 1 was killed by the kernel: out of memory, 10:00:10; broker 2 crashed or was killed"
    )
    assert told(alone).startswith(
        "Broker 1 was killed by the kernel: out of memory, 10:00:10. Broker 2 crashed or was killed at 10:00:21."
    )
    both = titles | {"kill-2": "Broker 2 was killed by the kernel: out of memory, 10:00:21"}
    assert told(incident_of(ends, both, {"kill-1": "memory", "kill-2": "memory"})).startswith(
        "Broker 1 was killed by the kernel: out of memory, 10:00:10; broker 2 too, within 12.0 s."
    )
