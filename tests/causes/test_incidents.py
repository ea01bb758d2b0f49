"""Which roots belong to one incident: what hangs together by shared effects or harm; time decides for what has no cause."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, time

from hypothesis import given
from hypothesis import strategies as st

from replay.causes import incidents as stage
from replay.causes.partition_causes import cluster_graph
from replay.facts.times import plus_millis
from replay.tables.brokers import BROKER_SESSIONS
from replay.tables.causes import (
    HAPPENINGS,
    INCIDENT_LINKS,
    INCIDENT_ROOTS,
    REACH,
    ROOT_SPANS,
    ROOTS,
    VERTICES,
    Reach,
    RootSpan,
)
from replay.tables.faults import FAULTS, Fault
from replay.tables.row import Row
from replay.tables.table import STRING
from tests.causes.frames import EACH_ROOT, roots_of
from tests.each import for_each
from tests.tables import DAY, rows, same_rows, table_of_test


def test_a_root_lasts_until_its_end_or_its_last_effect():
    """What another fault caused is no root."""
    same_rows(
        stage.root_spans(
            rows(
                FAULTS,
                """
        fault_id | kind                 | code | broker_id | ts       | end_ts
        kill     | killed               | F01  | 1         | 10:00:00 |
        pause    | paused               | F04  | 2         | 10:00:00 | 10:00:40
        refused  | registration_refused | F29  | 1         | 10:00:30 |          """,
            ),
            rows(
                REACH,
                """
        root_ids | last_ts  | count
        kill     | 10:00:30 | 4
        pause    | 10:00:20 | 2     """,
            ),
        ),
        ROOT_SPANS,
        """
        root_id | code | kind   | broker_id | ts       | end_ts   | effects
        kill    | F01  | killed | 1         | 10:00:00 | 10:00:30 | 3
        pause   | F04  | paused | 2         | 10:00:00 | 10:00:40 | 1       """,
    )


# Roots, what they did (`of` names the root), and which of them are bound to each other. Each case has a day of its own.
CASES = {
    "three kills at once": (
        """
        root_id | kind   | broker_id | ts       | end_ts
        kill-1  | killed | 1         | 10:00:00 | 10:05:00
        kill-2  | killed | 2         | 10:00:02 | 10:05:00
        kill-3  | killed | 3         | 10:00:04 | 10:05:00 """,
        "id",
        """
        src    | dst    | reason
        kill-1 | kill-2 | at_once
        kill-1 | kill-3 | at_once
        kill-2 | kill-3 | at_once """,
    ),
    "a crash loop": (
        """
        root_id | kind    | broker_id | ts       | end_ts
        kill-1  | killed  | 1         | 10:00:00 | 10:00:03
        kill-2  | killed  | 1         | 10:00:17 | 10:00:20
        kill-3  | killed  | 1         | 10:00:34 | 10:00:37
        kill-4  | killed  | 2         | 10:03:00 | 10:05:00 """,
        "id",
        """
        src    | dst    | reason
        kill-1 | kill-2 | crash_loop
        kill-2 | kill-3 | crash_loop """,
    ),
    "a loop of failed starts, and two failed starts that are none": (
        """
        root_id  | kind         | broker_id | ts       | end_ts
        start-1  | disk_refused | 1         | 10:00:00 | 10:01:06
        start-2  | disk_refused | 1         | 10:01:07 | 10:02:13
        start-3  | disk_refused | 1         | 10:02:14 | 10:03:20
        other-1  | disk_refused | 2         | 10:00:30 | 10:00:40
        other-2  | disk_refused | 2         | 10:03:30 | 10:03:40 """,
        "id",
        """
        src     | dst     | reason
        start-1 | start-2 | crash_loop
        start-2 | start-3 | crash_loop """,
    ),
    # Their faults overlap in nothing: each was over before the next began.
    "six faults in twenty minutes": (
        """
        root_id | kind           | broker_id | ts       | end_ts
        cut-1   | cut_from_peers | 1         | 10:00:00 | 10:00:45
        kill    | killed         | 2         | 10:03:00 | 10:03:20
        pause-1 | paused         | 3         | 10:06:00 | 10:06:26
        cut-2   | cut_from_peers | 1         | 10:09:00 | 10:09:45
        pause-2 | paused         | 3         | 10:12:00 | 10:12:26
        slow    | slow_follower  | 2         | 10:18:00 | 10:19:00 """,
        """
        id       | kind       | root_id | ts       | end_ts   | topic  | partition
        shrink-1 | isr_shrink | cut-1   | 10:00:30 | 10:00:50 | orders | 0
        shrink-2 | isr_shrink | kill    | 10:03:10 | 10:03:25 | orders | 0
        shrink-3 | isr_shrink | pause-1 | 10:06:20 | 10:06:30 | orders | 0
        shrink-4 | isr_shrink | cut-2   | 10:09:30 | 10:09:50 | orders | 0
        shrink-5 | isr_shrink | pause-2 | 10:12:20 | 10:12:30 | orders | 0
        shrink-6 | isr_shrink | slow    | 10:18:30 | 10:19:00 | orders | 0 """,
        "src",
    ),
    "an effect of both": (
        """
        root_id | kind   | broker_id | ts       | end_ts
        kill    | killed | 1         | 10:00:00 | 10:05:00
        pause   | paused | 2         | 10:02:00 | 10:02:30 """,
        """
        id   | kind     | root_id | ts
        vote | election | kill    | 10:02:10
        vote | election | pause   | 10:02:10 """,
        """
        src  | dst   | reason
        kill | pause | shared_effect """,
    ),
    # The ISR that the kill shrank is not full again as the pause shrinks it further. A harm without an end lasts five seconds, for
    # incidents; clicks-0 is another partition; what was a leader's move only does no harm.
    "harm that overlaps": (
        """
        root_id | kind   | broker_id | ts       | end_ts
        kill    | killed | 1         | 10:00:00 | 10:05:00
        pause   | paused | 2         | 10:02:00 | 10:02:30
        late    | paused | 2         | 10:20:00 | 10:20:30
        other   | paused | 3         | 10:03:00 | 10:03:30
        moved   | paused | 4         | 10:04:00 | 10:04:30 """,
        """
        id       | kind       | root_id | ts       | end_ts   | topic  | partition
        shrink-1 | isr_shrink | kill    | 10:00:06 | 10:05:00 | orders | 0
        shrink-2 | isr_shrink | pause   | 10:02:20 |          | orders | 0
        gone-2   | leaderless | late    | 10:20:10 | 10:20:12 | orders | 0
        shrink-3 | isr_shrink | other   | 10:03:10 | 10:03:20 | clicks | 0
        vote-4   | election   | moved   | 10:04:10 |          | orders | 0         """,
        """
        src  | dst   | reason
        kill | pause | shared_harm """,
    ),
    # It hurts on purpose, and soon.
    "what an operator asked for beside a fault": (
        """
        root_id | kind       | broker_id | ts       | end_ts
        kill    | killed     | 1         | 10:00:00 | 10:05:00
        moved   | reassigned | 3         | 10:00:02 | 10:01:00 """,
        """
        id       | kind       | root_id | ts       | end_ts   | topic  | partition
        shrink-1 | isr_shrink | kill    | 10:00:06 | 10:05:00 | orders | 0
        shrink-2 | isr_shrink | moved   | 10:00:20 | 10:01:00 | orders | 0         """,
        "src",
    ),
    # A quarter of an hour from end to begin; the fourth comes a second too late.
    "ordered stops one after the other": (
        """
        root_id | kind    | broker_id | ts       | end_ts
        stop-1  | stopped | 1         | 10:00:00 | 10:01:00
        stop-2  | stopped | 2         | 10:01:10 | 10:02:00
        stop-3  | stopped | 3         | 10:17:00 | 10:18:00
        stop-4  | stopped | 1         | 10:33:01 | 10:34:00 """,
        "id",
        """
        src    | dst    | reason
        stop-1 | stop-2 | rolling
        stop-2 | stop-3 | rolling """,
    ),
    # Each was over before the next began, and no roll takes a broker twice; the second roll begins with it.
    "a broker stopped twice": (
        """
        root_id | kind    | broker_id | ts       | end_ts
        stop-1  | stopped | 1         | 10:00:00 | 10:00:20
        stop-2  | stopped | 1         | 10:01:30 | 10:01:50
        stop-3  | stopped | 2         | 10:02:30 | 10:02:50
        stop-4  | stopped | 1         | 10:04:00 | 10:04:20 """,
        "id",
        """
        src    | dst    | reason
        stop-2 | stop-3 | rolling """,
    ),
    "a controlled shutdown 53 s after a pause": (
        """
        root_id | kind    | broker_id | ts       | end_ts
        pause   | paused  | 2         | 10:00:00 | 10:00:26
        stop    | stopped | 2         | 10:01:19 | 10:01:40 """,
        """
        id       | kind       | root_id | ts       | end_ts   | topic  | partition
        shrink-1 | isr_shrink | pause   | 10:00:20 | 10:00:30 | orders | 0
        shrink-2 | isr_shrink | stop    | 10:01:20 | 10:01:45 | orders | 0         """,
        "src",
    ),
    "a stop in the same second as a fault": (
        """
        root_id | kind    | broker_id | ts       | end_ts
        pause   | paused  | 2         | 10:00:00 | 10:00:26
        stop    | stopped | 1         | 10:00:01 | 10:00:40 """,
        "id",
        "src",
    ),
}
# Two voters die, a broker half a minute later, another one after the quorum is back.
CASES["a death while nothing can be decided"] = (
    """
        root_id | kind   | broker_id | ts       | end_ts
        voter-1 | killed | 101       | 10:00:00 | 10:01:00
        voter-2 | killed | 102       | 10:00:01 | 10:01:00
        kill    | killed | 1         | 10:00:30 | 10:02:00
        later   | killed | 2         | 10:01:30 | 10:02:00 """,
    "id",
    """
        src     | dst     | reason
        voter-1 | voter-2 | at_once
        kill    | voter-2 | no_quorum """,
)
QUORUMS = """
    fault_id | kind        | began_low | ts       | end_ts
    quorum   | quorum_lost | 10:00:01  | 10:00:02 | 10:01:05 """
DID = table_of_test("did", {"root_id": STRING}, extends=HAPPENINGS)


def _of_case(case):
    """The roots and happenings of a case, and the roots of these."""
    spans, did = rows(ROOT_SPANS, CASES[case][0]), rows(DID, CASES[case][1])
    each = [EACH_ROOT.row_class(row.id, row.root_id, 1) for row in did]
    itself = [EACH_ROOT.row_class(span.root_id, span.root_id, 0) for span in spans]
    return spans, did, roots_of([*each, *itself])


def _shared_harms(spans: list[Row], did: list[Row], roots: list[Row]) -> list[Row]:
    """The roots that share harm, partition by partition; the faults are the roots."""
    faults = [Fault(fault_id=span.root_id, kind=span.kind) for span in spans]
    graph = cluster_graph([], [], faults, [])
    of_partition = defaultdict(list)
    for row in did:
        of_partition[row.topic, row.partition].append(row)
    return stage.merge_shared_harms(
        harm for own in of_partition.values() for harm in stage.shared_harms(own, roots, graph)
    )


@for_each("case", CASES)
def test_roots_are_bound_by_what_they_share_and_not_by_time_alone(case):
    spans, did, roots = _of_case(case)
    times = {row.id: row.ts for row in (*did, *(span.but() for span in spans)) if hasattr(row, "id")}
    reach = [Reach(root_ids=row.root_ids, last_ts=times.get(row.id), count=1) for row in roots]
    harms = _shared_harms(spans, did, roots)
    quorums = [span for span in rows(FAULTS, QUORUMS) if case == "a death while nothing can be decided"]
    incident_links = stage.incident_links(spans, reach, harms, quorums)
    least_first = [link.but(src=min(link.src, link.dst), dst=max(link.src, link.dst)) for link in incident_links]
    same_rows(least_first, INCIDENT_LINKS, CASES[case][2])  # a bond has no direction


def test_deaths_of_which_no_line_shows_which_came_first_are_one_incident():
    """All brokers lose power: each is dated by the first process that comes back. One that was seen alive after a death is apart."""
    spans = """
        root_id | kind   | broker_id | ts       | end_ts
        kill-1  | killed | 1         | 10:00:25 | 10:01:00
        kill-2  | killed | 2         | 10:00:31 | 10:01:00
        kill-3  | killed | 3         | 10:00:40 | 10:01:00 """
    faults = """
        fault_id | kind   | began_low | began_high
        kill-1   | killed | 10:00:00  | 10:00:25
        kill-2   | killed | 10:00:02  | 10:00:31
        kill-3   | killed | 10:00:39  | 10:00:40 """
    links = stage.incident_links(rows(ROOT_SPANS, spans), [], [], rows(FAULTS, faults))
    same_rows(links, INCIDENT_LINKS, "src | dst | reason\n kill-1 | kill-2 | not_told_apart")


def test_who_stops_a_broker_with_a_failed_directory_stops_it_in_that_incident():
    """The directory of broker 1 is not back as these logs end; that of broker 2 was, before its next stop."""
    spans = """
        root_id | kind           | broker_id | ts       | end_ts
        disk-1  | log_dir_failed | 1         | 10:00:25 | 10:00:31
        stop-1  | stopped        | 1         | 10:05:00 | 10:06:00
        disk-2  | disk_full      | 2         | 11:00:00 | 11:05:00
        stop-2  | stopped        | 2         | 11:10:00 | 11:20:00
        stop-3  | stopped        | 3         | 10:40:00 | 10:41:00 """
    faults = """
        fault_id | kind           | broker_id | ts       | end_ts
        disk-1   | log_dir_failed | 1         | 10:00:25 |
        disk-2   | disk_full      | 2         | 11:00:00 | 11:05:00 """
    links = stage.incident_links(rows(ROOT_SPANS, spans), [], [], rows(FAULTS, faults))
    same_rows([one for one in links if one.reason == "disk"], INCIDENT_LINKS, "src | dst\n disk-1 | stop-1")


def test_one_request_is_one_incident_also_if_it_is_told_as_two():
    """A reassignment that names partitions of two topics; another request has lines of its own."""
    spans = """
        root_id | kind       | ts       | end_ts
        move-1  | reassigned | 10:00:00 | 10:00:01
        move-2  | reassigned | 10:00:02 | 10:00:03
        move-3  | reassigned | 10:00:04 | 10:00:05 """
    faults = """
        fault_id | kind       | ts       | evidence
        move-1   | reassigned | 10:00:00 | e1,e2
        move-2   | reassigned | 10:00:02 | e2,e3
        move-3   | reassigned | 10:00:04 | e4    """
    links = stage.incident_links(rows(ROOT_SPANS, spans), [], [], rows(FAULTS, faults))
    same_rows(links, INCIDENT_LINKS, "src | dst | reason\n move-1 | move-2 | one_request")


def test_an_end_of_a_broker_and_its_failed_starts_are_one_incident_until_it_has_a_session_again():
    """Broker 2 had one between, of broker 3 no session is known; a death long after a stop is another matter."""
    spans = """
        root_id | kind         | broker_id | ts       | end_ts
        stop-1  | stopped      | 1         | 10:00:00 | 10:10:00
        start-1 | disk_refused | 1         | 10:30:00 | 10:31:00
        kill-1  | killed       | 1         | 10:32:00 | 10:33:00
        kill-2  | killed       | 1         | 10:40:00 | 10:41:00
        stop-2  | stopped      | 2         | 11:00:00 | 11:10:00
        start-2 | disk_refused | 2         | 11:05:00 | 11:06:00
        stop-3  | stopped      | 3         | 12:00:00 | 12:10:00
        start-3 | disk_refused | 3         | 12:05:00 | 12:06:00 """
    sessions = """
        broker_id | start_ts | end_ts
        1         | 09:00:00 | 10:00:01
        1         | 10:50:00 |
        2         | 09:00:00 | 11:00:01
        2         | 11:00:30 | 11:01:00 """
    links = stage.incident_links(rows(ROOT_SPANS, spans), [], [], [], rows(BROKER_SESSIONS, sessions))
    expected = """
        src     | dst     | reason
        stop-1  | start-1 | not_back
        start-1 | kill-1  | not_back """
    same_rows(links, INCIDENT_LINKS, expected)


def test_roots_that_are_bound_over_others_are_one_group():
    """The bonds have a direction, the groups have none: d is bound to b, and b to a. f is bound to nobody."""
    incident_links = """
        src | dst
        a   | b
        d   | b
        d   | c
        g   | e   """
    same_rows(
        stage.incident_roots(rows(ROOT_SPANS, "root_id\na\nb\nc\nd\ne\nf\ng"), rows(INCIDENT_LINKS, incident_links)),
        INCIDENT_ROOTS,
        """
        id | first
        a  | a
        b  | a
        c  | a
        d  | a
        e  | e
        f  | f
        g  | e     """,
    )


def test_incidents_are_numbered_in_the_order_of_time():
    """By their first root, whatever its name."""
    same_rows(
        stage.with_incidents(
            rows(
                ROOT_SPANS,
                """
        root_id | kind   | ts       | end_ts
        a       | killed | 10:10:00 | 10:11:00
        b       | paused | 10:00:00 | 10:01:00
        c       | paused | 10:20:00 | 10:21:00
        d       | paused | 10:05:00 | 10:06:00 """,
            ),
            rows(
                INCIDENT_ROOTS,
                """
        id | first
        a  | a
        b  | b
        c  | b
        d  | d     """,
            ),
        ),
        ROOT_SPANS,
        """
        root_id | incident_id
        a       | incident-3
        b       | incident-1
        c       | incident-1
        d       | incident-2  """,
    )


def test_a_happening_belongs_to_its_nearest_root_else_to_its_time():
    """Of two roots at one distance the earlier counts; what is neither rooted nor near in time belongs nowhere."""
    same_rows(
        stage.vertices(
            rows(
                HAPPENINGS,
                """
        id       | ts       | kind     | reason         | arguments
        rooted   | 10:30:00 | election | session_ended  | broker=1
        torn     | 10:00:10 | election | session_ended  | broker=2
        even     | 10:00:10 | election | session_ended  | broker=3
        before   | 09:59:55 | election | session_ended  | broker=4
        after    | 10:01:29 | election | session_ended  | broker=5
        nowhere  | 10:02:00 | election | session_ended  | broker=6 """,
            ),
            rows(
                ROOTS,
                """
        id     | root_ids   | distances
        rooted | kill       | 4
        torn   | pause,kill | 1,3
        even   | kill,pause | 2,2
        other  | unknown    | 1         """,
            ),
            stage.Incidents(
                rows(
                    ROOT_SPANS,
                    """
        root_id | incident_id | ts       | end_ts
        kill    | incident-1  | 10:00:00 | 10:01:00
        pause   | incident-2  | 10:20:00 | 10:21:00 """,
                )
            ),
        ),
        VERTICES,
        """
        id      | incident_id | kind     | label
        rooted  | incident-1  | election | the session of broker 1 ended
        torn    | incident-2  | election | the session of broker 2 ended
        even    | incident-1  | election | the session of broker 3 ended
        before  | incident-1  | election | the session of broker 4 ended
        after   | incident-1  | election | the session of broker 5 ended
        nowhere |             | election | the session of broker 6 ended """,
    )


@given(
    lasted=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 90)), min_size=1, max_size=12),
    asked=st.integers(-20, 420),
)
def test_the_incident_of_a_time_is_the_latest_that_had_begun_and_was_not_over(lasted, asked):
    """However they overlap: looked up among many, and compared one by one."""
    noon = datetime.combine(DAY, time(12), tzinfo=UTC)
    spans = [
        RootSpan(
            root_id=f"root-{n}",
            incident_id=f"incident-{n}",
            ts=plus_millis(noon, begin * 1_000),
            end_ts=plus_millis(noon, (begin + seconds) * 1_000),
        )
        for n, (begin, seconds) in enumerate(lasted)
    ]
    moment = plus_millis(noon, asked * 1_000)
    near = [
        (span.ts, span.incident_id)
        for span in spans
        if plus_millis(span.ts, -5_000) <= moment <= plus_millis(span.end_ts, 30_000)
    ]
    assert stage.Incidents(spans).at(moment, 5_000, 30_000) == (max(near)[1] if near else None)
