"""Failed fetch requests of followers: each position in them is the end of the follower's own log. A follower prints the
whole request when a fetch fails, for example because its leader died: from 0.11 on with the position of each partition.
It appends only at that position, so its log ends there. From 1.1 on a request names only partitions with a change since
the last one (KIP-227).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replay.facts.lines import detail, is_own_line, whole_number
from replay.tables.offsets import FetchPosition
from replay.tables.reading import Event

FAILED_FETCH = "fetch_request_error"
_OPTIONAL = r"Optional(?:\.empty|\[(\d{1,9})\])"
_POSITION = re.compile(
    r"(?<![A-Za-z0-9._-])([A-Za-z0-9._-]{1,249})-(\d{1,9})=(?:PartitionData)?\((?:topicId=[^,()]{1,40}, )?"
    r"(?:fetchOffset|offset)=(\d{1,18}), logStartOffset=-?\d{1,18}, maxBytes=\d{1,10}"
    rf"(?:, currentLeaderEpoch={_OPTIONAL})?(?:, lastFetchedEpoch={_OPTIONAL})?\)"
)


def fetch_positions(node_events: Sequence[Event]) -> Iterator[FetchPosition]:
    """The positions in the failed fetches of one node. A fetcher repeats its request every second until the leader
    answers, so only the first line of each position counts.
    """
    requests: dict[int | None, str | None] = {}
    known: dict[tuple[int | None, str, str], tuple[int | None, int]] = {}
    for line in node_events:
        if line.kind != FAILED_FETCH or not is_own_line(line):
            continue
        request = detail(line, "fetch_request")
        if request is None or requests.get(line.leader_id) == request:
            continue
        requests[line.leader_id] = request
        for topic, partition, offset, leader_epoch, fetched_epoch in _POSITION.findall(request):
            position = (whole_number(leader_epoch), int(offset))
            key = (line.leader_id, topic, partition)
            if known.get(key) == position or _may_have_diverged(leader_epoch, fetched_epoch):
                continue
            known[key] = position
            yield FetchPosition(
                topic=topic,
                partition=int(partition),
                node_id=line.node_id,
                leader_id=line.leader_id,
                ts=line.ts,
                leader_epoch=position[0],
                log_end_offset=position[1],
                event_id=line.event_id,
            )


def _may_have_diverged(leader_epoch: str, fetched_epoch: str) -> bool:
    """Whether the follower has no record of this leader epoch yet. From 2.8 on a follower fetches first and learns from
    the answer whether its log diverges from its leader's. Earlier releases truncate before they fetch, and print no
    epoch.
    """
    return fetched_epoch != "" and fetched_epoch != leader_epoch
