"""Faults of the control plane: a disk of another node or cluster (F14), metadata that a node cannot apply (F33),
features that a broker does not support or that were refused (F28), and voters that changed, or that nodes
disagree on (F34).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from replay.facts.evidence import joined
from replay.facts.features import Starts
from replay.facts.groups import grouped
from replay.facts.lines import detail, whole_number
from replay.facts.order import at_most
from replay.facts.reads import reads
from replay.facts.releases import version_number
from replay.facts.times import greatest, millis
from replay.facts.voters import Leads, Voters, VotersReport, joined_by, voters_kept, voters_reports
from replay.faults.shape import begin_of, bursts_of, count_of, end_of, fault, fault_of, proof_of
from replay.sentences.statement import Statement, statement
from replay.tables.brokers import NodeRelease, ProcessLife, Setting
from replay.tables.control_plane import FeatureLevel
from replay.tables.faults import Fault
from replay.tables.reading import Fact

REFUSED_OFTEN = 10  # a node that searches for its quorum asks every half second and gives up after a minute
_QUORUM_ERROR = "raft_unexpected_error"
AGAIN_MS = 60_000  # an error that a node logs again within this time has the same cause
ASKED_AGAIN_MS = 120_000  # a refused broker retries until it gives up
ANSWERED_MS = 5_000  # the controller logs its reason for a refusal this close to the broker's line
SOON_MS = 300_000  # a voter that returns this soon after its removal has rejoined without a request
DIFFER_MS = 60_000  # nodes that restart one by one, or all at once, agree again within this time
_AUTO_JOIN, _STATIC_VOTERS = "controller.quorum.auto.join.enable", "controller.quorum.voters"
_VOTER = re.compile(r"(?<!\d)(\d++)@([^,\]\s]+)")
_KEY_DIFFERS = "raft_voter_key_mismatch"
_KEYS = re.compile(
    r"sent a voter key \(.{0,400}?\bdirectoryId=(?:Optional\[)?(?P<known>[\w-]{22})\b.{0,400} the local key \(.{0,400}?, (?P<own>[\w-]{22})\)"
)
ASKED_AS_ANOTHER = 2  # a request that was in flight while the voters changed arrives only once
_FATAL, _LOGGED = "fault_fatal", "fault_logged"
_REFUSED, _EVENT_FAILED, _FEATURE_ERROR = "broker_registration_failed", "kraft_event_failed", "kraft_feature_error"
_OTHER_CLUSTER = re.compile(r"Expected cluster ID (?P<expected>\S{1,64}), but got cluster ID (?P<stored>\S{1,64})")
_TOO_NEW = re.compile(
    r"does not support (?:finalized )?version (?P<level>\S+) of (?P<feature>[\w.]+?)\. (?:The broker|It) wants a version "
    r"between (?P<lowest>-?\d+) and (?P<highest>-?\d+)"
)


# The statement's reason for each problem.
_DISK_IS = {
    "of_another_cluster": "disk_of_another_cluster",
    "of_another_node": "disk_of_another_node",
    "a_copy": "directory_id_twice",
    "not_formatted": "disk_not_formatted",
    "unreadable": "no_disk_readable",
}
_METADATA_IS = {
    "record": "could_not_apply_record",
    "snapshot": "could_not_load_snapshot",
    "image": "could_not_take_over_image",
}


@dataclass(frozen=True)
class Identity:
    """A problem with the meta.properties of a directory, as a failed start logs it.

    The named groups of the pattern are arguments of the sentence.
    """

    disk_is: str
    pattern: str


# Source: MetaPropertiesEnsemble (from 3.7), BrokerMetadataCheckpoint and KafkaServer (before).
_IDENTITIES = (
    Identity(
        "of_another_cluster",
        r"Invalid cluster\.id in:? ?(?P<dir>\S+?)/meta\.properties\.? Expected (?P<expected>\S+?), but read (?P<stored>[\w-]+)"
        r"|The Cluster ID (?P<expected_2>\S+) doesn't match stored clusterId (?:Some\()?(?P<stored_2>[\w-]+)",
    ),
    Identity(
        "of_another_node",
        r"Stored node id (?P<stored>\d+) doesn't match previous node id (?P<expected>\d+) in (?P<dir>\S+?)/meta\.properties"
        r"|Configured (?:broker\.?[iI]d|node\.id) `?(?P<expected_2>\d+)`? doesn't match stored (?:broker\.?[iI]d|node\.id) "
        r"(?:Some\()?`?(?P<stored_2>\d+)",
    ),
    Identity(
        "a_copy",
        r"Duplicate directory ID \S+ found\. It was the ID of (?P<dir>\S+?), but also of (?P<other>\S+)",
    ),
    Identity(
        "not_formatted",
        r"No `?meta\.properties`? found in (?P<dir>\S+)",
    ),
    Identity("unreadable", r"No readable meta\.properties files found"),
)


def disks_refused(processes: Iterable[ProcessLife]) -> list[Fault]:
    """F14: starts that ended because a directory belongs to another cluster or node, or was never formatted."""
    found = []
    for process, well_ts in _with_last_well(processes):
        refusal = _identity(process)
        if refusal is not None:
            found.append(
                fault(
                    "disk_refused",
                    refusal,
                    broker_id=process.node_id,
                    ts=process.fatal_ts,
                    began_low=well_ts,
                    end_ts=process.next_start_ts,
                    confidence=0.95,
                    evidence=joined([process.fatal_event, process.next_start_event]),
                )
            )
    return found


def _with_last_well(processes: Iterable[ProcessLife]) -> Iterator[tuple[ProcessLife, datetime | None]]:
    """Each process with the last time at which its node's directory was known to be the right one.

    This is the last line of the previous process. It is the process's own start if the previous one failed or is not
    logged.
    """
    before: dict[int, ProcessLife] = {}
    for process in processes:
        last = before.get(process.node_id)
        yield process, process.start_ts if last is None or last.ended == "fatal" else last.last_ts
        before[process.node_id] = process


@reads(_QUORUM_ERROR, _EVENT_FAILED)
def refused_by_quorum(facts: Sequence[Fact], processes: Iterable[ProcessLife]) -> list[Fault]:
    """F14: starts that ended because the voters of the metadata quorum belong to another cluster than the node's
    directory.

    A voter answers a request of another cluster with INCONSISTENT_CLUSTER_ID. The node retries until it gives up.
    """
    of_node = grouped((line for line in facts if _is_of_another_cluster(line)), lambda line: line.node_id)
    other_ids = [line for line in facts if line.kind == _EVENT_FAILED and _ids(line)]
    found = []
    for process, well_ts in _with_last_well(processes):
        answers = [
            line
            for line in of_node.get(process.node_id, [])
            if at_most(process.start_ts, line.ts) and at_most(line.ts, process.fatal_ts)
        ]
        registration = _registration_refused(other_ids, process)
        is_to_the_end = at_most(millis(process.fatal_ts, end_of(answers)), AGAIN_MS)
        if is_to_the_end and count_of(answers) >= REFUSED_OFTEN:
            found.append(
                fault_of(
                    "disk_refused",
                    statement(
                        "quorum_of_another_cluster",
                        node=process.node_id,
                        count=count_of(answers),
                        at_from=begin_of(answers),
                        at_to=end_of(answers),
                        **_ids(registration),
                    ),
                    answers,
                    began_low=well_ts,
                    end_ts=process.next_start_ts,
                    confidence=0.9,
                    evidence=joined(
                        proof_of(answers)[:3],
                        [
                            process.fatal_event,
                            None if registration is None else registration.event_id,
                            process.next_start_event,
                        ],
                    ),
                )
            )
    return found


def _registration_refused(refused: Iterable[Fact], process: ProcessLife) -> Fact | None:
    """The first line in which the controller refused a registration for its cluster id while this process ran.

    None if the lines differ in the ids, because they do not name the broker.
    """
    own = [line for line in refused if at_most(process.start_ts, line.ts) and at_most(line.ts, process.fatal_ts)]
    is_clear = len({tuple(_ids(line).values()) for line in own}) == 1
    return min(own, key=lambda line: line.ts) if is_clear else None


def _ids(line: Fact | None) -> dict[str, str]:
    """The cluster ids of the quorum and of the refused broker."""
    found = _OTHER_CLUSTER.search((detail(line, "exception_message") or "") if line is not None else "")
    return {} if found is None else found.groupdict()


def _is_of_another_cluster(line: Fact) -> bool:
    return line.kind == _QUORUM_ERROR and detail(line, "error") == "INCONSISTENT_CLUSTER_ID"


def _identity(process: ProcessLife) -> Statement | None:
    """The problem with its directories for which a process failed to start; None without one."""
    for identity in _IDENTITIES if process.fatal_ts is not None else ():
        identified = re.search(identity.pattern, process.fatal_said or "")
        if identified:
            values = {name.removesuffix("_2"): value for name, value in identified.groupdict().items() if value}
            return statement(_DISK_IS[identity.disk_is], node=process.node_id, **values)
    return None


@dataclass(frozen=True)
class Unapplied:
    """A metadata record, snapshot or image that a node could not apply, with its type and offset if the line has
    them.
    """

    line: Fact
    what: str
    offset: int | None
    record: str | None


# Source: MetadataBatchLoader, MetadataLoader, QuorumController; in 3.3 BrokerMetadataListener.
_UNAPPLIED = tuple(
    (what, re.compile(pattern))
    for what, pattern in (
        ("record", r"Error loading metadata log record from offset (?P<base_and_index>\d+)"),
        ("record", r"Error replaying metadata log record at offset "),
        (
            "record",
            r"Unable to apply (?P<record>\w+) record at offset (?P<offset>\d+) on (?:active|standby) controller",
        ),
        ("record", r"Unable to apply (?P<record>\w+) record(?: on standby controller)?, which was "),
        ("snapshot", r"Error loading metadata log record \d+ in snapshot at offset (?P<offset>\d+)"),
        ("snapshot", r"Error replaying record \d+ from snapshot "),
        ("snapshot", r"Unable to apply (?P<record>\w+) record from snapshot \D{0,400}(?P<offset>\d+)"),
        (
            "snapshot",
            r"Unhandled fault in MetadataLoader#handle(?:Load)?Snapshot\. Snapshot offset was (?P<offset>\d+)",
        ),
        (
            "image",
            r"Error generating new metadata image from metadata delta between offset \d+ and (?P<offset>\d+)",
        ),
        ("image", r"Error generating new metadata image from snapshot at offset (?P<offset>\d+)"),
        (
            "image",
            r"Unhandled error publishing the new metadata image (?:ending at|from snapshot at offset) (?P<offset>\d+)",
        ),
        ("image", r"Unhandled error initializing \w+ with a snapshot at offset (?P<offset>\d+)"),
    )
)
# Earlier releases concatenate the two numbers instead of adding them: 224 and 0 as 2240.
_ADDED_FROM = version_number("3.7.0")


@reads(_FATAL, _LOGGED)
def metadata_unapplied(facts: Iterable[Fact], releases: Iterable[NodeRelease]) -> list[Fault]:
    """F33: records, snapshots or images of the metadata that a node could not apply.

    A controller stops. A broker continues without the changes that it could not apply.
    """
    by_line = {one.line.event_id: one for one in _all_unapplied(facts, releases)}
    lines = [one.line for one in by_line.values()]
    return [
        _unapplied([by_line[line.event_id] for line in burst])
        for burst in bursts_of(lines, by=lambda line: line.node_id, gap_ms=AGAIN_MS)
    ]


def _all_unapplied(facts: Iterable[Fact], releases: Iterable[NodeRelease]) -> Iterator[Unapplied]:
    adds = {row.node_id for row in releases if at_most(_ADDED_FROM, row.version_low)}
    for fact in facts:
        if fact.kind in (_FATAL, _LOGGED) and fact.node_id is not None and fact.ts is not None:
            for what, pattern in _UNAPPLIED:
                found = pattern.search(fact.message or "")
                if found:
                    values = found.groupdict()
                    added = values.get("base_and_index") if fact.node_id in adds else None
                    yield Unapplied(fact, what, whole_number(values.get("offset") or added), values.get("record"))
                    break


def _unapplied(burst: Sequence[Unapplied]) -> Fault:
    first, lines = burst[0], [one.line for one in burst]
    return fault_of(
        "metadata_unapplied",
        statement(
            _METADATA_IS[first.what],
            node=first.line.node_id,
            record=first.record,
            offset=first.offset,
            error=_cause(first.line),
            more=count_of(lines) - 1 or None,
            stopped=any(line.kind == _FATAL for line in lines),
            went_on=all(line.kind == _LOGGED for line in lines),
        ),
        lines,
        confidence=0.95,
    )


def _cause(line: Fact) -> str | None:
    """The innermost exception of a line."""
    cause = detail(line, "caused_by") or detail(line, "exception")
    return cause.split("\n")[0][:200] if cause else None


@reads(_REFUSED, _EVENT_FAILED)
def features_unsupported(facts: Sequence[Fact]) -> list[Fault]:
    """F28: brokers whose registration is refused because they do not support the level of a feature."""
    reasons = [
        (fact.ts, refused)
        for fact in facts
        if fact.kind == _EVENT_FAILED and fact.ts is not None
        for refused in [_TOO_NEW.search(detail(fact, "exception_message") or fact.message or "")]
        if refused
    ]
    refusals = [fact for fact in facts if fact.kind == _REFUSED and "UNSUPPORTED_VERSION" in (fact.message or "")]
    found = []
    for burst in bursts_of(refusals, by=lambda fact: fact.node_id, gap_ms=ASKED_AGAIN_MS):
        ts, end_ts = begin_of(burst), end_of(burst)
        if burst[0].node_id is None or ts is None or end_ts is None:
            continue
        near = [
            why.groupdict()
            for at, why in reasons
            if at_most(millis(ts, at), ANSWERED_MS) and at_most(millis(at, end_ts), ANSWERED_MS)
        ]
        # The controller's line does not name the broker. If the refusals differ in level, this broker's level is unknown.
        feature = near[0] if near and all(why == near[0] for why in near) else {}
        found.append(
            fault(
                "feature_unsupported",
                statement(
                    "registration_refused_for_feature",
                    node=burst[0].node_id,
                    count=count_of(burst),
                    untold=not feature,
                    **feature,
                ),
                broker_id=burst[0].node_id,
                ts=ts,
                end_ts=end_ts,
                confidence=0.9,
                evidence=proof_of(burst),
            )
        )
    return found


@reads(_FEATURE_ERROR)
def feature_changes_refused(facts: Iterable[Fact]) -> list[Fault]:
    """F28: requested changes of a feature level that the controller refused."""
    lines = [fact for fact in facts if fact.kind == _FEATURE_ERROR and fact.ts is not None and detail(fact, "reason")]
    return [
        fault_of(
            "feature_change_refused",
            statement(
                "feature_change_was_refused",
                feature=detail(burst[0], "feature") or "metadata.version",
                level=detail(burst[0], "feature_level"),
                because=detail(burst[0], "reason"),
                count=count_of(burst),
            ),
            burst,
            broker_id=None,
            confidence=0.95,
        )
        for burst in bursts_of(
            lines, by=lambda fact: (detail(fact, "feature"), detail(fact, "reason")), gap_ms=AGAIN_MS
        )
    ]


@dataclass(frozen=True)
class Change:
    """A change of the voters: its first reporter, the voters that joined and left, and those with another directory."""

    ts: datetime
    joined: list[int]
    left: list[int]
    moved: list[int]
    before: Voters
    after: Voters
    evidence: list[str]


def voters_changed(facts: Sequence[Fact], processes: Iterable[ProcessLife], settings: Iterable[Setting]) -> list[Fault]:
    """F34: changes of the voters in the metadata log, as running nodes read them, and voters that returned soon
    after their removal.
    """
    changes = _changes(facts, processes)
    return [*(_changed(one) for one in changes), *_came_back(changes, _joins_itself(settings))]


def _changes(facts: Sequence[Fact], processes: Iterable[ProcessLife]) -> list[Change]:
    """The changes between consecutive sets of voters in the metadata log.

    Omits changes that were reported only by nodes that were starting and did not lead the quorum.
    """
    reports = grouped((one for one in voters_kept(facts) if one.is_placed), lambda one: one.offset)
    in_order = [_of_one_record(reports[offset]) for offset in sorted(reports)]
    starting, leads = Starts(processes), Leads(facts)
    changes = []
    lain: dict[int, str | None] = {}  # the last directory that each node had as a voter
    for earlier, later in pairwise(in_order):
        before, after = earlier[-1].voters, later[-1].voters
        lain |= {node: directory for node, directory in before.items() if directory}
        moved = [
            node for node in joined_by(before, after) if after[node] and after[node] != lain.get(node, after[node])
        ]
        running = [one for one in later if leads.hold(one.node_id, one.ts) or not starting.hold(one.node_id, one.ts)]
        if running and (before.keys() != after.keys() or joined_by(before, after)):
            changes.append(
                Change(
                    ts=running[0].ts,
                    joined=sorted(after.keys() - before.keys() - set(moved)),
                    left=sorted(before.keys() - after.keys()),
                    moved=moved,
                    before=before,
                    after=after,
                    evidence=proof_of(running),
                )
            )
    return changes


def _of_one_record(reports: Sequence[VotersReport]) -> list[VotersReport]:
    """The reports of the record that is now at an offset. Omits those of a truncated record with other voters."""
    last = reports[-1].voters
    return [one for one in reports if one.voters.keys() == last.keys() and not joined_by(one.voters, last)]


def _changed(change: Change) -> Fault:
    return fault(
        "voters_changed",
        statement(
            "voters_were_changed",
            all_added=change.joined or None,
            all_removed=change.left or None,
            all_moved=change.moved or None,
            all_voters=sorted(change.after),
            both_needed=len(change.after) == 2,
        ),
        ts=change.ts,
        end_ts=change.ts,
        peers=sorted({*change.joined, *change.left, *change.moved}),
        confidence=0.9,
        evidence=change.evidence,
    )


def _joins_itself(settings: Iterable[Setting]) -> set[int]:
    """The nodes that log that they join the voters automatically."""
    return {one.node_id for one in settings if one.name == _AUTO_JOIN and one.value == "true"}


def _came_back(changes: Sequence[Change], join_themselves: set[int]) -> Iterator[Fault]:
    """The nodes that were removed and soon became voters again with the same directory."""
    for removal in changes:
        for node in removal.left:
            back = next((one for one in changes if one.ts > removal.ts and node in one.joined), None)
            passed = millis(back.ts, removal.ts) if back else None
            if back is None or passed is None or passed > SOON_MS:
                continue
            own, again = removal.before[node], back.after[node]
            if own is not None and own == again:
                yield fault(
                    "voter_came_back",
                    statement(
                        "voter_was_back",
                        node=node,
                        at_removed=removal.ts,
                        at_back=back.ts,
                        itself=node in join_themselves,
                    ),
                    broker_id=node,
                    ts=back.ts,
                    end_ts=back.ts,
                    confidence=0.8,
                    evidence=joined([*removal.evidence, *back.evidence]),
                )


@reads(_KEY_DIFFERS)
def voter_directories_differ(facts: Iterable[Fact]) -> list[Fault]:
    """F34: nodes that received requests for a voter with a directory other than their own, such as after a disk
    replacement.

    The leader repeatedly asks each voter whether it knows the leader's epoch, and candidates request votes, both by
    node and directory. Source: KafkaRaftClient.
    """
    lines = [fact for fact in facts if fact.kind == _KEY_DIFFERS and fact.ts is not None and fact.node_id is not None]
    with_keys = [(line, keys) for line in lines if (keys := _KEYS.search(line.message or ""))]
    keys_of = {line.event_id: keys for line, keys in with_keys}
    return [
        fault_of(
            "voter_directory_differs",
            statement(
                "voter_has_another_directory",
                node=burst[0].node_id,
                known=keys_of[burst[0].event_id]["known"],
                own=keys_of[burst[0].event_id]["own"],
                count=count_of(burst),
                at_from=begin_of(burst),
                at_to=end_of(burst),
            ),
            burst,
            confidence=0.95,
        )
        for burst in bursts_of((line for line, _ in with_keys), by=lambda line: line.node_id, gap_ms=AGAIN_MS)
        if count_of(burst) >= ASKED_AS_ANOTHER
    ]


@dataclass(frozen=True)
class Configured:
    """The voters in the configuration of one process, from its first line on.

    `earliest`: the end of the previous process, or the process's own first line if no end is logged.
    """

    node_id: int
    earliest: datetime
    ts: datetime
    until: datetime | None
    voters: tuple[tuple[int, str], ...]
    event_id: str

    @property
    def ids(self) -> list[int]:
        return sorted(voter for voter, _ in self.voters)

    @property
    def printed(self) -> str:
        return ",".join(f"{voter}@{address}" for voter, address in self.voters)


def static_voters_differ(
    facts: Sequence[Fact], processes: Iterable[ProcessLife], settings: Iterable[Setting]
) -> list[Fault]:
    """F34: nodes that ran with different voters in their settings for longer than a rolling restart takes.

    If the metadata log holds the voters, Kafka ignores the setting. Two addresses of one voter may be the same host.
    """
    if any(one.dynamic for one in voters_reports(facts)):
        return []
    configured = sorted(_configured(processes, settings), key=lambda one: (one.ts, one.node_id))
    times = sorted({one.ts for one in configured} | {one.until for one in configured if one.until is not None})
    found, lasting = [], []
    for ts in times:
        running = [one for one in configured if one.ts <= ts and (one.until is None or ts < one.until)]
        if len({one.voters for one in running}) > 1:
            lasting.append((ts, running))
        elif lasting:
            found += _differ(lasting, ts)
            lasting = []
    return found + (_differ(lasting, None) if lasting else [])


def _configured(processes: Iterable[ProcessLife], settings: Iterable[Setting]) -> Iterator[Configured]:
    """The voters in the settings of each process. Omits nodes without this setting."""
    lives = list(processes)
    for one in settings:
        voters = tuple(sorted((int(voter), address) for voter, address in _VOTER.findall(one.value or "")))
        if one.name == _STATIC_VOTERS and one.ts is not None and one.node_id is not None and voters:
            life = next((life for life in lives if life.node_id == one.node_id and _ran(life, one.ts)), None)
            ends = life is not None and (life.ended is not None or life.next_start_ts is not None)
            began = life.first_ts if life else one.ts
            before = greatest(
                *(life.last_ts for life in lives if life.node_id == one.node_id and at_most(life.last_ts, began))
            )
            until = life.last_ts if life and ends else None
            yield Configured(one.node_id, before or began, began, until, voters, one.event_id)


def _ran(life: ProcessLife, ts: datetime) -> bool:
    return at_most(life.first_ts, ts) and at_most(ts, life.last_ts)


def _nodes(configured: Iterable[Configured]) -> list[int]:
    return sorted({one.node_id for one in configured})


def _differ(lasting: Sequence[tuple[datetime, list[Configured]]], until: datetime | None) -> list[Fault]:
    """The fault of a time in which nodes ran with different voters; it names those of the moment when most of them ran."""
    (ts, first), running = lasting[0], max((running for _, running in lasting), key=len)
    if until is not None and at_most(millis(until, ts), DIFFER_MS):
        return []
    alike = grouped(running, lambda one: one.voters)
    most, other, *more = sorted(alike.values(), key=lambda own: (-len(_nodes(own)), _nodes(own)))
    others = sorted({node for own in (other, *more) for node in _nodes(own)})
    by_address = all(own[0].ids == most[0].ids for own in (other, *more))
    return [
        fault(
            "static_voters_differ",
            statement(
                "static_voters_differed",
                all_nodes=_nodes(most),
                nodes=len(_nodes(most)),
                value=most[0].printed,
                all_others=_nodes(other),
                others=len(_nodes(other)),
                other=other[0].printed,
                more=len(more) or None,
                by_address=by_address,
                by_id=not by_address,
                at_from=ts,
                at_to=until,
            ),
            ts=ts,
            began_low=max((one.earliest for one in first if one.ts == ts), default=ts),
            end_ts=until,
            peers=others,
            confidence=0.6 if by_address else 0.95,
            evidence=joined([most[0].event_id, other[0].event_id, *(own[0].event_id for own in more)]),
        )
    ]


def features_changed(feature_levels: Iterable[FeatureLevel]) -> list[Fault]:
    """F28: feature levels that changed while nodes ran.

    A node that receives the record late reports the same change again.
    """
    found = []
    held: dict[str, str] = {}
    for row in sorted(feature_levels, key=lambda row: (row.start_ts, row.node_id)):
        if row.changed and row.level != held.get(row.feature):
            held[row.feature] = row.level
            found.append(
                fault(
                    "feature_changed",
                    statement("feature_was_set", feature=row.feature, level=row.level, before=row.before),
                    broker_id=row.node_id,
                    ts=row.start_ts,
                    end_ts=row.start_ts,
                    confidence=0.9,
                    evidence=row.evidence,
                )
            )
    return found
