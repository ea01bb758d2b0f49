"""What the input lacks and what is unknown because of it, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.sentences.wording import enumerated

HOW_TO_GET_THEM = "How to get the missing logs: docs/getting-the-logs.md."


def statement(
    kind: str, node_ids: Sequence[int], start_ts: datetime | None, end_ts: datetime | None, log: str | None = None
) -> str:
    """The sentence of a limit. `log`: the log that lacks lines."""
    nodes = enumerated([str(node) for node in sorted(node_ids)], "node", "nodes", "node")
    match kind:
        case "server_log_only":
            return f"server.log only ({nodes}): leader changes are not logged here. Availability is unknown, and losses are lower bounds."
        case "no_state_change_log":
            return f"No state-change.log of {nodes}: leader changes are not logged there. Where no other node shows them, availability is unknown, and losses are lower bounds."
        case "no_server_log":
            return f"No server.log of {nodes}: starts, stops, truncations and ISR changes are not logged there. Availability is unknown, and losses are lower bounds."
        case "no_controller_log":
            return f"No controller.log of {nodes}, active as controller: the reasons of elections and the ends of sessions are not logged there."
        case "no_server_log_of_controller":
            return f"No lines of a server.log of {nodes}, which {'is a controller' if len(node_ids) == 1 else 'are controllers'} only: votes and elections of the metadata quorum are not logged there."
        case "no_node":
            return f"No logs of {nodes}: what only {_it(node_ids)} logged is unknown. Where no other node shows it, availability is unknown, and losses are lower bounds."
        case "begins_late":
            return f"The logs of {nodes} begin while Kafka already ran, the last of them at {_time(end_ts)}: what happened before is unknown."
        case "gap":
            return f"Lines of {nodes} are missing{_span(start_ts, end_ts)}: what {_it(node_ids)} did then is unknown."
        case "lines_missing":
            return (
                f"Single lines of the {log} log of {nodes} are missing: that it does not show something proves nothing."
            )
        case _:
            return f"Only a part of the time was analyzed{_span(end_ts, start_ts)}: what happened outside is unknown."


def _it(node_ids: Sequence[int]) -> str:
    return "it" if len(node_ids) == 1 else "they"


def _span(start_ts: datetime | None, end_ts: datetime | None) -> str:
    """` from … to …`, with what is known of it."""
    begin = "" if start_ts is None else f" from {_time(start_ts)}"
    return begin + ("" if end_ts is None else f" to {_time(end_ts)}")


def _time(ts: datetime | None) -> str:
    return "an unknown time" if ts is None else f"{ts:%Y-%m-%d %H:%M:%S} UTC"
