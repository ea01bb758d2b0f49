"""Lines of another cluster: topic ids and cluster ids decide whose line it is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from replay.weighing.evidence import CLUSTERS, REMOVED, SECOND, SIGNALS, STARTS, Evidence, Named
from replay.weighing.reasons import MIXED_CLUSTERS, OTHER_CLUSTER

_APART = 60 * SECOND  # between the last line of a process and the start of another cluster's process
_ANNOUNCED_WITHIN = 5 * SECOND  # every broker and controller names a new topic within this
_FEW_LINES, _FEW_TOPICS = 4, 1


@dataclass
class OfOtherClusters:
    """The topic ids of other clusters, and the nodes and times whose lines are of another one or of two at once.

    `ids`: a topic's id, with why it is of another cluster and the lines that contradict it. `nodes`: for each node from
    when until when, the reason and why.
    """

    ids: dict[tuple[str, str], tuple[str, list[str]]] = field(default_factory=dict)
    nodes: dict[int, tuple[float, float, str, str, list[str]]] = field(default_factory=dict)


def other_clusters(evidence: Evidence) -> OfOtherClusters:
    """What is of another cluster, by cluster ids and by topic ids."""
    found = OfOtherClusters(_foreign_ids(evidence))
    _by_cluster_ids(evidence, found)
    _by_topic_ids(evidence, found)
    return found


# --- Topic ids


def _foreign_ids(evidence: Evidence) -> dict[tuple[str, str], tuple[str, list[str]]]:
    by_topic: dict[str, dict[str, list[Named]]] = defaultdict(lambda: defaultdict(list))
    for one in evidence.ids:
        by_topic[one.key[0]][one.key[1]].append(one)
    removed = {(line.topic, line.topic_id) for line in evidence.of(REMOVED)}
    found = {}
    for topic, ids in sorted(by_topic.items()):
        for topic_id, named in sorted(ids.items()):
            for other_id, others in sorted(ids.items()):
                if other_id != topic_id and (topic, other_id) not in removed and _is_foreign(evidence, named, others):
                    because = f"Topic {topic} has the id {other_id} in the lines of {_nodes(others)}."
                    found[topic, topic_id] = because, [others[0].event_id]
    return found


def _nodes(named: Iterable[Named]) -> str:
    nodes = sorted({one.node_id for one in named if one.node_id is not None})
    if not nodes:
        return "a description of the topics"
    return f"node{'s' if len(nodes) > 1 else ''} {', '.join(map(str, nodes[:-1]))}{' and ' if len(nodes) > 1 else ''}{nodes[-1]}"


def _is_foreign(evidence: Evidence, named: Sequence[Named], others: Sequence[Named]) -> bool:
    """Whether an id that one node names is not that of the topic: other nodes name another id, write on, and never name
    this one.
    """
    own, other_nodes = {one.node_id for one in named}, {one.node_id for one in others}
    if len(own) != 1 or None in own or len(other_nodes - own) < 1 or len(other_nodes) < 2:
        return False
    first, last = min(one.first for one in named), max(one.last for one in named)
    began = min(one.first for one in others)
    if last < began:  # an earlier topic of the name
        return False
    return any(
        evidence.running(node, first + _ANNOUNCED_WITHIN, inf) and evidence.span(node)[0] < first
        for node in other_nodes - own
        if node is not None
    )


# --- Cluster ids


def _by_cluster_ids(evidence: Evidence, found: OfOtherClusters) -> None:
    of_node: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
    for line in evidence.of(*CLUSTERS):
        cluster = line.details.get("cluster_id")
        if cluster is not None and line.node_id is not None:
            of_node[line.node_id].append((line.at, cluster, line.event_id))
    members = Counter(cluster for own in of_node.values() for cluster in {one for _, one, _ in own})
    if len(members) < 2:
        return
    right = max(members, key=lambda cluster: (members[cluster], cluster))
    example = next(event for own in of_node.values() for _, cluster, event in own if cluster == right)
    for node, own in sorted(of_node.items()):
        clusters = {cluster for _, cluster, _ in own}
        if any(members[cluster] >= members[right] for cluster in clusters - {right}):
            continue  # as many nodes name the one as the other
        if right not in clusters:
            other = min(clusters)
            because = f"The log of node {node} is of cluster {other}, and those of other nodes are of cluster {right}."
            found.nodes[node] = -inf, inf, OTHER_CLUSTER, because, [own[0][2], example]
        elif len(clusters) > 1:
            _of_two_clusters(evidence, found, node, own, right)


def _of_two_clusters(
    evidence: Evidence, found: OfOtherClusters, node: int, own: Sequence[tuple[int, str, str]], right: str
) -> None:
    """Notes the time in which a node is of another cluster, or that its log mixes two."""
    of_other = [(at, cluster, event) for at, cluster, event in own if cluster != right]
    first, cluster, event = of_other[0]
    back = min((at for at, one, _ in own if one == right and at > first), default=inf)
    starts = [line.at for line in evidence.of(*STARTS, node=node) if first - _APART <= line.at <= first]
    begin = min(starts, default=first)
    before = evidence.running(node, begin - 10 * _APART, begin)
    stopped = any(begin - 10 * _APART <= line.at <= begin for line in evidence.of(*SIGNALS, node=node))
    ids = f"{cluster} and {right}"
    if before and not stopped:
        because = f"The log of node {node} holds lines of the clusters {ids} at the same time."
        found.nodes[node] = -inf, inf, MIXED_CLUSTERS, because, [event, *before[:1]]
    else:
        because = f"Node {node} is of cluster {cluster} in this time, and of cluster {right} in the rest of its log."
        found.nodes[node] = begin if begin > own[0][0] else -inf, back, OTHER_CLUSTER, because, [event]


# --- Nodes whose topics all have other ids


def _by_topic_ids(evidence: Evidence, found: OfOtherClusters) -> None:
    shared = {one.key[0] for one in evidence.ids}
    foreign: dict[int, list[Named]] = defaultdict(list)
    own: dict[int, list[Named]] = defaultdict(list)
    for one in evidence.ids:
        if one.node_id is not None and one.key[0] in shared:
            (foreign if one.key in found.ids else own)[one.node_id].append(one)
    for node, named in sorted(foreign.items()):
        topics, lines = {one.key[0] for one in named}, sum(one.lines for one in named)
        if node in found.nodes or (lines <= _FEW_LINES and len(topics) <= _FEW_TOPICS):
            continue
        because, against = found.ids[named[0].key]
        of_same = [one for one in own[node] if one.key[0] in topics]
        if not of_same:
            text = f"The topics that node {node} names have other ids in the lines of the other nodes. {because}"
            found.nodes[node] = -inf, inf, OTHER_CLUSTER, text, [named[0].event_id, *against]
        else:
            text = f"The log of node {node} names topics by two ids at the same time: it holds lines of two clusters. {because}"
            found.nodes[node] = -inf, inf, MIXED_CLUSTERS, text, [named[0].event_id, of_same[0].event_id]
    for node in sorted(evidence.nodes):
        _apart(evidence, found, node)
    _earlier_clusters(evidence, found, own)


def _apart(evidence: Evidence, found: OfOtherClusters, node: int) -> None:
    """Notes a node none of whose topics has the id that several others name, whenever they name it."""
    by_topic: dict[str, dict[str, set[int | None]]] = defaultdict(lambda: defaultdict(set))
    for one in evidence.ids:
        by_topic[one.key[0]][one.key[1]].add(one.node_id)
    differ, agree = [], 0
    for topic, ids in sorted(by_topic.items()):
        mine = {topic_id for topic_id, nodes in ids.items() if node in nodes}
        agree += any(len(ids[topic_id]) > 1 for topic_id in mine)
        others = [topic_id for topic_id, nodes in ids.items() if len(nodes) > 1 and node not in nodes]
        if mine and others:
            differ.append((topic, min(mine), others[0]))
    if len(differ) > _FEW_TOPICS and not agree and node not in found.nodes:
        topic, mine_id, other_id = differ[0]
        events = [one.event_id for one in evidence.ids if one.key in ((topic, mine_id), (topic, other_id))]
        because = (
            f"The topics that node {node} names have other ids in the lines of the other nodes: {topic} has the id {mine_id} "
            f"there, and {other_id} elsewhere."
        )
        found.nodes[node] = -inf, inf, OTHER_CLUSTER, because, events[:2]


def _earlier_clusters(evidence: Evidence, found: OfOtherClusters, own: dict[int, list[Named]]) -> None:
    """Notes the time in which all topics of a node have other ids than later, without a line that removes one."""
    removed = {line.topic_id for line in evidence.of(REMOVED)}
    for node, named in sorted(own.items()):
        by_topic: dict[str, list[Named]] = defaultdict(list)
        for one in named:
            by_topic[one.key[0]].append(one)
        twice = [sorted(ids, key=lambda one: one.first) for ids in by_topic.values() if len(ids) == 2]
        if node in found.nodes or len(twice) < 2:
            continue
        ended, begun = max(ids[0].last for ids in twice), min(ids[1].first for ids in twice)
        starts = [line.at for line in evidence.of(*STARTS, node=node) if ended < line.at <= begun]
        others = {one.key[1] for at, ids in own.items() if at != node for one in ids}
        earlier = {ids[0].key[1] for ids in twice}
        if ended < begun and starts and not earlier & (others | removed) and {ids[1].key[1] for ids in twice} & others:
            first = twice[0]
            because = (
                f"All topics of node {node} have other ids before its start than after it: it was a broker of another cluster. "
                f"Topic {first[0].key[0]} had the id {first[0].key[1]}, and then {first[1].key[1]}."
            )
            found.nodes[node] = -inf, min(starts), OTHER_CLUSTER, because, [ids[1].event_id for ids in twice[:2]]
