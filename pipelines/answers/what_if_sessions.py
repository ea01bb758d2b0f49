"""What another session timeout, or a stop without a controlled shutdown, would have changed: when a dead broker's
partitions get another leader.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from pipelines.answers.what_if_rows import SAME, Tables, WhatIf, clock
from replay.errors import InputError

KRAFT, ZOOKEEPER = "broker.session.timeout.ms", "zookeeper.session.timeout.ms"
SESSIONS = (KRAFT, ZOOKEEPER)
CONTROLLED = "controlled.shutdown.enable"
_DEFAULTS = {KRAFT: 9_000, ZOOKEEPER: 18_000}  # ZooKeeper: since 2.5 (KIP-537); 6 s before
_GRANULE = pd.Timedelta(seconds=2)
"""A heartbeat of a broker, and a tick of ZooKeeper: how far from its timeout a session's end is noticed."""
_BEFORE, _AFTER = pd.Timedelta(seconds=2), pd.Timedelta(seconds=30)
"""The elections that the end of a session made lie this close to it."""
_SHUTDOWN = pd.Timedelta(seconds=60)  # a controlled shutdown moves its leaders within this time
_TIMED_OUT = ("crash", "session_timeout")


def with_session_timeout(tables: Tables, name: str, timeout_ms: int) -> Iterator[WhatIf]:
    """When the elections that followed a session timeout would have happened with another timeout.

    The last heartbeat before the broker's death stays where it was, so the end of the session moves by the
    difference.
    """
    if name != _own_timeout(tables):
        raise InputError(f"{name}: these brokers have their sessions elsewhere; ask for {_own_timeout(tables)}")
    was, printed = _timeout(tables, name)
    shift = pd.Timedelta(milliseconds=timeout_ms - was)
    granted = [SAME, f"the timeout was {was} ms{'' if printed else ', the default; no line prints it'}"]
    if shift < pd.Timedelta(0):
        granted.append("no broker was silent for longer than the shorter limit and heard again before the longer one")
    for session, elected in _elections_after(tables, _TIMED_OUT, _BEFORE, _AFTER):
        earliest, latest = elected.ts + shift - _GRANULE, elected.ts + shift + _GRANULE
        back = _back(tables, session)
        returns = back is not None and back < earliest
        effect = "election_unknown" if returns else "election_moved"
        sentence = (
            f"broker {session.broker_id} was back at {clock(back)}, before its session would have ended; whether it "
            "would have led on is not known"
            if back is not None and returns
            else f"the next leader would have been elected between {clock(earliest)} and {clock(latest)}, not at "
            f"{clock(elected.ts)}"
        )
        yield _row(name, str(timeout_ms), elected, effect, earliest, latest, sentence, tuple(granted))


def without_controlled_shutdown(tables: Tables) -> Iterator[WhatIf]:
    """How long the partitions of a broker that was shut down would have kept a leader that is gone.

    Without a controlled shutdown no other broker leads before the session ends. In KRaft the broker's heartbeats end
    when its shutdown begins, and the session times out; in ZooKeeper mode a broker that shuts down in order closes
    its session.
    """
    kraft = _own_timeout(tables) == KRAFT
    timeout, printed = _timeout(tables, KRAFT)
    how = f"the session lasts {timeout} ms{'' if printed else ', the default; no line prints it'}"
    granted = [SAME, how if kraft else "a broker that stops in order closes its ZooKeeper session itself"]
    granted += ["a broker that comes back sooner is not let in before its old session has ended"] if kraft else []
    for session, elected in _elections_after(tables, ("controlled_shutdown",), _SHUTDOWN, _BEFORE):
        if elected.trigger != "controlled_shutdown":
            continue
        ends = elected.ts + pd.Timedelta(milliseconds=timeout) if kraft else max(elected.ts, session.end_ts)
        low, high = max(pd.Timedelta(0), ends - elected.ts - _GRANULE), ends - elected.ts + _GRANULE
        sentence = (
            f"led by broker {session.broker_id}, which is gone, for {_seconds(low)} to {_seconds(high)} s; "
            "neither written nor read in that time"
        )
        begin = elected.ts
        yield _row(CONTROLLED, "false", elected, "leader_dead", begin, begin + high, sentence, tuple(granted))


def _elections_after(
    tables: Tables, ended_by: tuple[str, ...], before: pd.Timedelta, after: pd.Timedelta
) -> Iterator[tuple[Any, Any]]:
    """The sessions that ended in one of these ways, each with an election that replaced its broker as leader around
    that time.
    """
    ended = [s for s in rows(tables["broker_sessions"]) if s.end_ts is not None and s.ended_by in ended_by]
    for elected in rows(tables["elections"]):
        ends = [
            session
            for session in ended
            if session.broker_id == elected.old_leader_id and -before <= elected.ts - session.end_ts <= after
        ]
        if ends:
            yield min(ends, key=lambda session: abs(elected.ts - session.end_ts)), elected


def _back(tables: Tables, session: Any) -> pd.Timestamp | None:
    starts = [
        s.start_ts if s.live_ts is None else s.live_ts
        for s in rows(tables["broker_sessions"])
        if s.broker_id == session.broker_id
    ]
    return min((ts for ts in starts if ts is not None and ts > session.end_ts), default=None)


def _own_timeout(tables: Tables) -> str:
    """The setting that limits the sessions of these brokers: KRaft brokers print `process.roles`."""
    printed = {(setting.name, str(setting.value)) for setting in rows(tables["settings"])}
    return KRAFT if any(name == "process.roles" and value not in ("[]", "") for name, value in printed) else ZOOKEEPER


def _timeout(tables: Tables, name: str) -> tuple[int, bool]:
    """The timeout that brokers print, else its default; and whether they print it."""
    values = [s.value for s in rows(tables["settings"]) if s.name == name and str(s.value).isdecimal()]
    return (max(map(int, values)), True) if values else (_DEFAULTS[name], False)


def _seconds(time: pd.Timedelta) -> str:
    return f"{time.total_seconds():.1f}"


def _row(name: str, value: str, elected: Any, effect: str, start: Any, end: Any, sentence: str, granted: Any) -> WhatIf:
    partition = (elected.topic, elected.partition)
    return WhatIf(name, value, *partition, effect, start, end, None, None, sentence, granted, elected.evidence or ())
