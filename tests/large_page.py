"""Frames of a large cluster with many incidents, for the page: the largest number of rows that a page gets."""

from __future__ import annotations

import pandas as pd

from tests.frames import whole

_BROKERS = 12
_START = pd.Timestamp("2024-05-01 00:00:00")
_TOPIC = "topic.with.a.long.name-"


def large_frames(partitions: int, incidents: int) -> dict[str, pd.DataFrame]:
    """Frames in which every incident is a crash with its detection, changes of leader, shrunk ISRs and possible
    losses; each affects its share of partitions.
    """
    every = [(f"{_TOPIC}{i // 50:04d}", i % 50) for i in range(partitions)]
    share = max(1, partitions // incidents)
    epochs, spans, elections, losses, found, told, vertices, edges, lines, sessions = ([] for _ in range(10))
    for i, (topic, partition) in enumerate(every):
        n = min(i // share, incidents - 1)
        broker = n % _BROKERS
        crash = _START + pd.Timedelta(minutes=10 * n + 5)
        moved = crash + pd.Timedelta(milliseconds=9_000 + i % 1000)
        first, last = f"node-{broker}/state-change.log:{i}", f"node-{(broker + 1) % _BROKERS}/state-change.log:{i}"
        replicas = [(broker + r) % _BROKERS for r in range(3)]
        epochs += [
            (topic, partition, 0, broker, _START, moved, 0, None, "created", "observed", [first]),
            (topic, partition, 1, replicas[1], moved, None, 1000, "isr", "election", "observed", [last, first]),
        ]
        spans += [
            (topic, partition, 0, _START, moved, broker, replicas, replicas, 2, "observed", [first]),
            (
                topic,
                partition,
                1,
                moved,
                moved + pd.Timedelta(minutes=1),
                replicas[1],
                replicas[1:],
                replicas,
                2,
                "observed",
                [last],
            ),
            (
                topic,
                partition,
                1,
                moved + pd.Timedelta(minutes=1),
                None,
                replicas[1],
                replicas,
                replicas,
                2,
                "observed",
                [last],
            ),
        ]
        elections.append((topic, partition, 1, moved, broker, replicas[1], "isr", "broker_failure", 0, [last]))
        losses.append(
            (
                topic,
                partition,
                1,
                moved,
                "committed",
                "NO_LOSS_OBSERVED",
                1000,
                1000,
                1000,
                broker,
                replicas[1],
                f"the log ends at {1000 + i}",
                [last],
            )
        )
        if i % 8 == 0:
            lines += [
                (
                    e,
                    moved,
                    broker,
                    e.rpartition(":")[0],
                    i,
                    "INFO",
                    "state.change.logger",
                    f"[Broker id={broker}] Leader {topic}-{partition} starts at leader epoch 1 from offset {i}",
                )
                for e in (first, last)
            ]
    for n in range(incidents):
        name, broker, crash = f"incident-{n}", n % _BROKERS, _START + pd.Timedelta(minutes=10 * n + 5)
        names = [f"{t}-{p}" for t, p in every[n * share : (n + 1) * share]]
        proof = [f"node-{broker}/server.log:{n * 100 + k}" for k in range(8)]
        lines += [
            (
                e,
                crash + pd.Timedelta(seconds=k),
                broker,
                e.rpartition(":")[0],
                n * 100 + k,
                "WARN",
                "kafka.server",
                f"Connection to node {broker} could not be established, try {k}. " + "x" * 200,
            )
            for k, e in enumerate(proof)
        ]
        found.append(
            (
                name,
                crash,
                crash + pd.Timedelta(minutes=2),
                f"Broker {broker} died without a shutdown",
                "critical" if n == 40 else "high",
                f"killed/{n}",
                share,
                0,
                share * 9000,
            )
        )
        for k, (code, role) in enumerate(
            [("F01", "root_cause"), ("F08", "effect"), ("F13", "effect"), ("F24", "effect"), ("F17", "benign")] * 2
        ):
            title = f"Broker {broker} died without a shutdown" if k == 0 else f"Something that followed, number {k}"
            told.append(
                (
                    f"killed/{n}" if k == 0 else f"{code}/{n}/{k}",
                    name,
                    code,
                    role if k != 5 else "contributing",
                    "high",
                    title,
                    "A sentence that says what happened and how it is known. " * 4,
                    crash + pd.Timedelta(seconds=k),
                    crash + pd.Timedelta(seconds=60 + k),
                    [broker],
                    names,
                    0.9,
                    ["the broker's own log would tell"],
                    proof,
                )
            )
        vertices.append(
            (f"killed/{n}", "killed", crash, broker, None, None, f"Broker {broker} killed", name, proof[:2])
        )
        vertices.append(
            (
                f"seen/{n}",
                "detected",
                crash + pd.Timedelta(seconds=9),
                broker,
                None,
                None,
                f"broker {broker} left",
                name,
                proof[2:3],
            )
        )
        edges.append((f"killed/{n}", f"seen/{n}", "R2", f"broker {broker} was killed; its session ended", 0.9, 9000))
        for t, p in every[n * share : (n + 1) * share]:
            vertices.append(
                (
                    f"election/{n}/{t}/{p}",
                    "election",
                    crash + pd.Timedelta(seconds=10),
                    (broker + 1) % _BROKERS,
                    t,
                    p,
                    f"{t}-{p} moved",
                    name,
                    proof[3:4],
                )
            )
            edges.append((f"seen/{n}", f"election/{n}/{t}/{p}", "R4", "the controller was handling it", 0.9, 1000))
        sessions.append(
            (_START + pd.Timedelta(minutes=10 * n), broker, crash + pd.Timedelta(seconds=9), "crash", proof[:1])
        )
    end = _START + pd.Timedelta(minutes=10 * incidents + 10)
    frame = pd.DataFrame
    made = {
        "coverage": frame(
            [(f"node-{b}/server.log", b, "default", 100_000, 100_000, 0, 0, _START, end) for b in range(_BROKERS)],
            columns="source_file node_id layout log_records matched unmatched foreign first_ts last_ts".split(),
        ),
        "leader_epochs": frame(
            epochs,
            columns="topic partition leader_epoch leader_id start_ts end_ts epoch_start_offset elected_from reason confidence evidence".split(),
        ),
        "isr_spans": frame(
            spans,
            columns="topic partition leader_epoch start_ts end_ts leader_id isr replicas min_isr confidence evidence".split(),
        ),
        "elections": frame(
            elections,
            columns="topic partition leader_epoch ts old_leader_id new_leader_id elected_from trigger leaderless_ms evidence".split(),
        ),
        "losses": frame(
            losses,
            columns="topic partition leader_epoch ts loss_class verdict from_offset to_offset_low to_offset_high old_leader_id new_leader_id premise evidence".split(),
        ),
        "incidents": frame(
            found,
            columns="incident_id start_ts end_ts title severity root_finding_id elections unclean_elections unserved_max_ms".split(),
        ).assign(lost_offsets_min=0, lost_offsets_max=0, unserved_min_ms=0),
        "findings": frame(
            told,
            columns="finding_id incident_id code role severity title summary start_ts end_ts broker_ids partitions confidence blind_spots evidence".split(),
        ),
        "vertices": frame(vertices, columns="id kind ts node_id topic partition label incident_id evidence".split()),
        "edges": frame(edges, columns="src dst relation because confidence delay_ms".split()),
        "broker_sessions": frame(sessions, columns="start_ts broker_id end_ts ended_by evidence".split()),
        "evidence": frame(lines, columns="event_id ts node_id source_file line_number level logger message".split()),
    }
    return {name: whole(name, one) for name, one in made.items()}
