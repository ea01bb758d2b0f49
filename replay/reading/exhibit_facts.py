"""The facts that the tables, settings and outputs in a paste state, each as a line with fields: a disk and its load, a full
collection, the state of a container, the keys of a principal, a topic, a refused timestamp, the clock of a host.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches

from replay.lists import listed, some
from replay.reading.exhibits import Exhibits, PartitionRow
from replay.reading.printed_line import Line

_OF_A_BROKER = re.compile(r"\(kafka\.[\w.]+\)|\[GroupCoordinator|\[KafkaServer")
_OF_A_CLIENT = re.compile(r"clientId=|kafka-producer-network-thread|TimeoutException")
_CLUSTER_ID = re.compile(
    r"Expected (?P<given>[\w-]{22}), but read (?P<stored>[\w-]{22})|Cluster ID (?P<given_2>[\w-]{22}) doesn't match stored clusterId Some\((?P<stored_2>[\w-]{22})\)"
)
_TOO_FEW = re.compile(
    r"min\.isr requirement of (?P<wanted>\d+) for partition (?P<topic>[\w.-]+)-\d+|NotEnoughReplicas(?!.{0,400}min\.isr)"
)
_ASKED = re.compile(
    r"\{(?P<a>[\w.-]+)=(?:UNKNOWN_TOPIC_OR_PARTITION|(?P<new>LEADER_NOT_AVAILABLE))|Topic (?P<b>\S+) not present in metadata"
)
_OUT_OF_RANGE = re.compile(r"Timestamp (\d{12,14}) of message .{0,400}?within \[(\d{12,14}), (\d{12,14})\]")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)[.,]\d{3}(Z|[+-]\d\d:\d\d)?")
_DATE = re.compile(r"[A-Z][a-z]{2} +([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (?:UTC|GMT) (\d{4})$")
_TO_TOPIC = re.compile(r"to topic ([\w.-]+)")
_REBALANCES = re.compile(r"Consumer group '(?P<group>[^'\n]{1,249})' is rebalancing")
_VOTERS = re.compile(
    r"(?:controller[._]quorum[._]voters|CONTROLLER_QUORUM_VOTERS)[\"']?\s{0,4}(?:[:=]|\n\s{0,40}value:)\s{0,4}[\"']?(?P<voters>\d{1,9}@[\w.-]{1,255}:\d{1,5}(?:, ?\d{1,9}@[\w.-]{1,255}:\d{1,5}){0,30})"
)
_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost):\d+")
_ELECTION_ENDS = re.compile(r" from (?:Candidate|Prospective)State\(| Election timed out ")
_VOTER = re.compile(r"\b(?P<id>\d{1,9})=(?:VoterState\([^\n]{0,200}?state=)?(?P<vote>GRANTED|REJECTED|UNRECORDED)")
_RAFT_NODE = re.compile(r"\[RaftManager (?:node)?[iI]d=(\d{1,9})\]")
_HIGH_WATERMARK = re.compile(r"highWatermark=Optional\[LogOffsetMetadata\(offset=(\d{1,19})")
_PROPERTIES = re.compile(r"^\s*- (?P<path>\S{1,255}) -> \{(?P<values>[^}\n]{1,400})\}")
_FACTOR_REFUSED = re.compile(
    r"\bname='(?P<topic>[\w.-]{1,249})'[^\n]{0,4000}INVALID_REPLICATION_FACTOR \(Unable to replicate the partition \d{1,5} time\(s\): The target replication factor of (?P<wanted>\d{1,5}) cannot be reached because only (?P<have>\d{1,5}) broker\(s\) are registered"
)
_SETTINGS_OF_FACTORS = {
    "__consumer_offsets": "offsets.topic.replication.factor",
    "__transaction_state": "transaction.state.log.replication.factor (with transaction.state.log.min.isr)",
    "__share_group_state": "share.coordinator.state.topic.replication.factor (with share.coordinator.state.topic.min.isr)",
    "_confluent-link-metadata": "confluent.cluster.link.metadata.topic.replication.factor (or turn cluster linking off: confluent.cluster.link.enable=false)",
}
_PROTOCOLS = {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}
_FAR_BEHIND = 1_000  # records of metadata
_DAY_MS, _HOUR_MS, _CLOCKS_AGREE_MS = 86_400_000, 3_600_000, 300_000


def facts_of(text: str) -> list[Line]:
    """The rows of a paste and the facts that they state, in that order."""
    e = Exhibits(text)
    rows = [_fact("row", row.number, row.text, program=row.program, section=row.section) for row in e.rows]
    makers = (
        _disks,
        _loads,
        _collections,
        _containers,
        _pods,
        _keys,
        _topics,
        _short_isrs,
        _quorum,
        _asked_topics,
        _timestamps,
        _clocks,
        _stamps,
        _cluster_ids,
        _group_offsets,
        _groups,
        _rebalancing,
        _voters,
        _votes,
        _directories,
        _refused_factors,
    )
    return [*rows, *(fact for maker in makers for fact in maker(e))]


def _fact(kind: str, number: int, text: str = "", **fields: str) -> Line:
    known = {name: value for name, value in fields.items() if value}
    return Line("", number, None, "?", None, text, kind=kind, fields=known)


def _number(text: str | None) -> float:
    found = re.match(r"[\d.]+", text or "")
    return float(found[0]) if found else 0.0


def _disks(e: Exhibits) -> Iterator[Line]:
    """The devices of `iostat`, each with its file system in `df`."""
    for row in e.table("Device", "%util"):
        wait = max(_number(row.get(name)) for name in ("w_await", "r_await", "await"))
        queue = _number(row.get("aqu-sz") or row.get("avgqu-sz"))
        disk = next((one for one in e.table("Filesystem", "Use%") if row["Device"] in one["Filesystem"]), {})
        yield _fact(
            "disk",
            0,
            device=row["Device"],
            busy=f"{_number(row['%util']):.0f}",
            util=f"{_number(row['%util']):g}",
            idle="yes" if _number(row["%util"]) < 50 else "",
            wait_ms=f"{wait:.0f}",
            wait_s=f"{wait / 1000:.1f}",
            queue=f"{queue:.0f}",
            saturated="yes" if _number(row["%util"]) >= 95 and (wait >= 50 or queue >= 10) else "",
            place=f"{row['section']}: its" if row["section"] else "The broker's",
            mounted=disk.get("Mounted", ""),
            used=disk["Use%"] if disk and _number(disk["Use%"]) < 90 else "",
        )


def _loads(e: Exhibits) -> Iterator[Line]:
    """The containers of brokers that `docker stats` shows to be idle."""
    for row in e.table("CONTAINER ID", "CPU %"):
        if re.search("(?i)kafka|broker", row["NAME"]) and _number(row["CPU %"]) < 50:
            yield _fact("idle_broker", 0, name=row["NAME"], cpu=row["CPU %"])
    serving = {row.program for row in e.rows if _OF_A_BROKER.search(row.text)}
    for row in e.table("NAMES", "STATUS"):
        is_broker = "yes" if row["NAMES"] in serving else ""
        yield _fact("docker_container", 0, name=row["NAMES"], status=row["STATUS"], broker=is_broker)


def _collections(e: Exhibits) -> Iterator[Line]:
    """The full collections of Java's heap."""
    clients = {row.program for row in e.rows if _OF_A_CLIENT.search(row.text)}
    for one in e.pauses:
        client = "yes" if one.program in clients else ""
        full = "yes" if one.after_mb >= 0.9 * one.heap_mb else ""
        seconds = f"{one.seconds:.0f}"
        yield _fact("full_gc", 0, program=one.program, seconds=seconds, heap=str(one.heap_mb), full=full, client=client)


def _containers(e: Exhibits) -> Iterator[Line]:
    """The state of the container that `kubectl describe pod` shows, with its limit and its environment."""
    if not any(row.text.lstrip().startswith("Last State:") for row in e.rows):
        return
    reasons = [found[1] for row in e.rows if (found := re.search(r"^\s*Reason:\s+(\w+)", row.text))]
    limit = next((found[1] for row in e.rows if (found := re.search(r"^\s*memory:\s+(\S+)", row.text))), "")
    heap = re.search(r"-Xmx(\d+)([gGmM])", e.fields.get("KAFKA_HEAP_OPTS", ""))
    share = _mib(f"{heap[1]}{heap[2]}i") / _mib(limit) if heap and limit and _mib(limit) else 0.0
    refused, do = _refused_setting(e.fields)
    yield _fact(
        "container_state",
        0,
        name=e.fields.get("Name", "the container"),
        code=e.fields.get("Exit Code", ""),
        killed="yes" if "OOMKilled" in reasons else "",
        limit=limit,
        heap=f"{heap[1]}{heap[2].upper()}i (-Xmx{heap[1]}{heap[2]})" if heap and share >= 0.7 else "",
        share="the whole limit" if share >= 1 else f"{share:.0%} of the limit",
        refused=refused,
        refused_do=do,
    )


def _refused_setting(fields: Mapping[str, str]) -> tuple[str, str]:
    """A setting in an environment block with which Kafka does not start, and what to do; empty without one."""
    advertised = fields.get("KAFKA_ADVERTISED_LISTENERS", fields.get("KAFKA_CFG_ADVERTISED_LISTENERS", ""))
    if "//0.0.0.0:" in advertised:
        return (
            f"KAFKA_ADVERTISED_LISTENERS is {advertised}, and advertised.listeners cannot use 0.0.0.0, which no client can reach.",
            "Set advertised.listeners to a name that clients and brokers reach (the pod's name with its service); KAFKA_LISTENERS may keep 0.0.0.0.",
        )
    names = set(re.findall(r"(?<![A-Z_])([A-Z_]+)://", fields.get("KAFKA_LISTENERS", "")))
    mapped = set(re.findall(r"(?<![A-Z_])([A-Z_]+):", fields.get("KAFKA_LISTENER_SECURITY_PROTOCOL_MAP", "")))
    missing = sorted(names - (mapped or _PROTOCOLS))
    if not missing:
        return "", ""
    return (
        f"The listener {missing[0]} has no security protocol in KAFKA_LISTENER_SECURITY_PROTOCOL_MAP.",
        f"Add {missing[0]}:PLAINTEXT (or its protocol) to the map.",
    )


def _mib(text: str) -> float:
    found = re.match(r"(\d+)([GMK]?)i?", text.upper())
    return int(found[1]) * {"G": 1024.0, "M": 1.0, "K": 1 / 1024, "": 1 / 2**20}[found[2]] if found else 0.0


def _pods(e: Exhibits) -> Iterator[Line]:
    """The rows of `kubectl get pods`."""
    for row in e.table("NAME", "READY"):
        waiting = "" if row.get("STATUS") == "Running" else "yes"
        yield _fact("pod", 0, name=row["NAME"], waiting=waiting, age=row.get("AGE", ""), node=row.get("NODE", ""))


def _keys(e: Exhibits) -> Iterator[Line]:
    """The key versions of principals, in a keytab and at the KDC."""
    outdated = {name: held for name, held in e.keys.items() if e.tickets.get(name, held) != held}
    for principal, held in (outdated or e.keys).items():
        given = str(e.tickets.get(principal, held))
        yield _fact("outdated_key" if outdated else "key", 0, principal=principal, held=str(held), given=given)


def _topics(e: Exhibits) -> Iterator[Line]:
    """The described topics, each with the broker that is missing from the ISRs of exactly its own replicas."""
    refused = [found for row in e.rows if (found := _TOO_FEW.search(row.text))]
    for topic in dict.fromkeys(one.topic for one in e.partitions):
        wanted = next((one["wanted"] or "2" for one in refused if one["topic"] in (None, topic)), "")
        own = [one for one in e.partitions if one.topic == topic]
        short = [one for one in own if set(one.isr) < set(one.replicas)]
        factor = max(len(one.replicas) for one in own)
        yield _fact(
            "topic_described",
            0,
            topic=topic,
            factor=str(factor),
            many=str(len(own)),
            wanted=wanted,
            too_few="yes" if wanted and not short and factor < int(wanted) else "",
            tight=wanted if wanted == str(factor) else "",
            missing=_missing_broker(own, short),
            numbers=listed([str(one.partition) for one in short]),
        )


def _short_isrs(e: Exhibits) -> Iterator[Line]:
    """What the described partitions show together: those without a leader, those with too few replicas in sync, or none."""
    if not e.partitions:
        return
    leaderless = [one for one in e.partitions if not one.leader.isdigit()]
    short = [one for one in e.partitions if one not in leaderless and set(one.isr) < set(one.replicas)]
    bad = leaderless or short
    missing = sorted({broker for one in bad for broker in set(one.replicas) - set(one.isr)})
    first = next(iter(bad), e.partitions[0])
    configs = e.topics.get(first.topic, (0, ""))[1]
    least = re.search(r"min\.insync\.replicas=(\d+)", configs)
    yield _fact(
        "leaderless" if leaderless else "short_isrs" if short else "complete_isrs",
        0,
        names=some([f"{one.topic}-{one.partition}" for one in bad], 3),
        many=str(len(e.partitions)),
        have="have" if len(bad) > 1 else "has",
        they="They take" if len(bad) > 1 else "It takes",
        missing=f"{'broker' if len(missing) == 1 else 'brokers'} {listed([str(one) for one in missing])}",
        they_are="is" if len(missing) == 1 else "are",
        isr=",".join(map(str, first.isr)) if len(bad) == 1 else "",
        of=str(len(first.replicas)) if len(bad) == 1 else "",
        leader=first.leader if len(bad) == 1 else "",
        refused=least[1] if least and min(len(one.isr) for one in bad or [first]) < int(least[1]) else "",
    )


def _quorum(e: Exhibits) -> Iterator[Line]:
    """The state of the metadata quorum in the output of `kafka-metadata-quorum describe`."""
    followers = [row for head in ("NodeId", "ReplicaId") for row in e.table(head, "LogEndOffset", "Status")]
    led = next((row for row in followers if row["Status"] == "Leader"), {})
    leader = e.fields.get("LeaderId", led.get("NodeId", led.get("ReplicaId", "")))
    if not leader:
        return
    behind = [row for row in followers if row["Status"] == "Follower" and _number(row.get("Lag")) >= _FAR_BEHIND]
    lags = [_number(row.get("Lag")) for row in followers] + [_number(e.fields.get("MaxFollowerLag"))]
    yield _fact(
        "quorum_without_leader" if leader == "-1" else "quorum_behind" if behind else "quorum",
        0,
        leader=leader,
        epoch=e.fields.get("LeaderEpoch", ""),
        voters=e.fields.get("CurrentVoters", "").strip("[] ").replace(",", ", ")
        if "{" not in e.fields.get("CurrentVoters", "")
        else "",
        behind=listed(
            [f"{row.get('NodeId', row.get('ReplicaId'))} ({int(_number(row['Lag'])):,} records)" for row in behind]
        ),
        lag=f"{max(lags):,.0f}" if max(lags) < _FAR_BEHIND else "",
        untimed="yes"
        if any(row.get("LastFetchTimeMs", row.get("LastFetchTimestamp")) == "-1" for row in followers)
        else "",
    )


def _groups(e: Exhibits) -> Iterator[Line]:
    """The groups that `kafka-consumer-groups --describe` shows, each with how many records wait for it."""
    rows = [row for row in e.table("GROUP", "CURRENT-OFFSET", "LAG") if row["LAG"].isdigit()]
    for group in dict.fromkeys(row["GROUP"] for row in rows):
        own = [row for row in rows if row["GROUP"] == group]
        lag, worst = sum(int(row["LAG"]) for row in own), max(own, key=lambda row: int(row["LAG"]))
        members = {row.get("CONSUMER-ID", "-") for row in own} - {"-"}
        yield _fact(
            "group_waits" if lag else "group_up_to_date",
            0,
            group=group,
            lag=f"{lag:,}",
            worst=f"{worst['TOPIC']}-{worst['PARTITION']} ({int(worst['LAG']):,})",
            idle="" if members else "yes",
            members=f"{len(members)} {'member' if len(members) == 1 else 'members'}" if members else "",
        )


def _missing_broker(own: Sequence[PartitionRow], short: Sequence[PartitionRow]) -> str:
    """The broker that is missing from the ISR of each partition that it has a replica of, and alone explains them."""
    missing = Counter(broker for one in short for broker in set(one.replicas) - set(one.isr))
    alone = (
        broker for broker, count in missing.items() if count == len(short) == sum(broker in one.replicas for one in own)
    )
    return next(map(str, alone), "")


def _asked_topics(e: Exhibits) -> Iterator[Line]:
    """The topics that clients asked for, and whether the paste shows that they exist."""
    found = next((one for row in e.rows if (one := _ASKED.search(row.text))), None)
    if found is None:
        return
    topic, listing = found["a"] or found["b"], e.listed_topics
    described = [one for one in e.partitions if one.topic == topic]
    is_led = described and all(one.leader.isdigit() and set(one.isr) == set(one.replicas) for one in described)
    stored = re.compile(rf"(?:stored|sent|acked|offset)[^\n]{{0,400}}{re.escape(topic)}-\d{{1,9}}@?")
    is_stored = any(stored.search(row.text) for row in e.rows)
    auto = next((value for _, name, value in e.settings if name.endswith("auto.create.topics.enable")), "")
    close = get_close_matches(topic, [one for one in listing or () if not one.startswith("__")], 1, 0.75)
    yield _fact(
        "topic_asked",
        0,
        topic=topic,
        absent="yes" if listing is not None and topic not in listing else "",
        close="".join(close),
        new="yes" if found["new"] else "",
        led="yes" if is_led else "",
        stored="stored" if is_stored else "",
        used="yes" if is_stored or auto == "true" else "",
        auto_on=auto if auto == "true" else "",
        auto_off=auto if auto == "false" else "",
    )


def _timestamps(e: Exhibits) -> Iterator[Line]:
    """A record's timestamp that a topic refused, compared with the time of the line."""
    found = next((one for row in e.rows if (one := _OUT_OF_RANGE.search(row.text))), None)
    stamp = next((one for row in e.rows if (one := _STAMP.search(row.text))), None)
    zone = (stamp[3] or "Z").replace("Z", "+00:00") if stamp else ""
    logged = _time(f"{stamp[1]}T{stamp[2]}{zone}", "%Y-%m-%dT%H:%M:%S%z") if stamp else None
    if found is None or logged is None:
        return
    record, low, high = map(int, found.groups())
    ms = logged.timestamp() * 1000
    agrees = min(abs(high - ms), abs(high - _HOUR_MS - ms)) < _CLOCKS_AGREE_MS
    behind = (ms - (high - _HOUR_MS)) / 1000
    topic = next((one[1] for row in e.rows if (one := _TO_TOPIC.search(row.text))), "the topic")
    yield _fact(
        "timestamp_refused",
        0,
        topic=topic,
        record=str(record),
        is_old="too old" if record < low else "too new",
        at=_day(record).rsplit(" ", 1)[0],
        time=_day(record)[-8:],
        days=f"{abs(ms - record) / _DAY_MS:.0f}",
        low=_day(low),
        high=_day(high),
        logged=f"{logged:%H:%M:%S}",
        agrees="yes" if agrees else "",
        present="yes" if not agrees and abs(record - ms) <= _CLOCKS_AGREE_MS else "",
        broker_time=_day(high - _HOUR_MS)[-8:],
        off=f"{_span(abs(behind))} {'behind' if behind > 0 else 'ahead'}",
    )


def _day(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%d %B %Y %H:%M:%S}"


def _span(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _time(text: str, form: str) -> datetime | None:
    """The time that a text states, in UTC if it names a zone; None for one that no calendar has."""
    try:
        read = datetime.strptime(text, form)
        return read if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _clocks(e: Exhibits) -> Iterator[Line]:
    """The hosts whose clock differs from the median one in the output of `hostname; date -u`."""
    read: list[tuple[str, datetime]] = []
    for before, row in zip(e.rows, e.rows[1:], strict=False):
        found = _DATE.match(row.text.strip())
        at = _time(" ".join(found.groups()), "%b %d %H:%M:%S %Y") if found else None
        if at is not None and re.fullmatch(r"[\w.-]{1,60}", before.text.strip()):
            read.append((before.text.strip(), at))
    median = sorted(at for _, at in read)[len(read) // 2] if len(read) >= 3 else None
    for host, at in read if median is not None else ():
        skew = (at - median).total_seconds() if median is not None else 0.0
        if abs(skew) > 300:
            yield _fact("clock_off", 0, host=host, off=f"{_span(abs(skew))} {'behind' if skew < 0 else 'ahead'}")


def _stamps(e: Exhibits) -> Iterator[Line]:
    """The first and the last time in a paste, if they are further apart than Kerberos allows and by less than an hour."""
    stamps = [f"{found[1]} {found[2]}" for row in e.rows if (found := _STAMP.search(row.text))]
    times = [at for stamp in stamps if (at := _time(stamp, "%Y-%m-%d %H:%M:%S")) is not None]
    apart = max(times) - min(times) if times else timedelta()
    if timedelta(minutes=5) <= apart <= timedelta(minutes=59):
        minutes = f"{apart.total_seconds() / 60:.0f}"
        yield _fact("stamps", 0, first=f"{min(times):%H:%M:%S}", last=f"{max(times):%H:%M:%S}", minutes=minutes)


def _cluster_ids(e: Exhibits) -> Iterator[Line]:
    """The two cluster ids with which nodes refuse to start."""
    found = [(row, one) for row in e.rows if (one := _CLUSTER_ID.search(row.text))]
    if not found:
        return
    one = found[0][1]
    stored, given = one["stored"] or one["stored_2"], one["given"] or one["given_2"]
    nodes = list(dict.fromkeys(row.program for row, _ in found if row.program))
    right = [where for where, name, value in e.settings if name.upper().endswith("CLUSTER_ID") and value == stored]
    wrong = [where for where, name, value in e.settings if name.upper().endswith("CLUSTER_ID") and value == given]
    chroots = {value for _, name, value in e.settings if name == "zookeeper.connect"}
    is_one = len({other["stored_2"] for _, other in found}) == 1 and len(chroots) <= 1 and bool(one["stored_2"])
    is_set = bool(wrong and right) or e.fields.get("ClusterId", "") == stored
    yield _fact(
        "cluster_id_refused",
        0,
        stored=stored,
        given=given,
        node=nodes[0] if nodes else "this node",
        nodes=listed(nodes),
        wrong=f"CLUSTER_ID in {wrong[0]}" if is_set and wrong else "",
        others=listed(right) if is_set and wrong else "",
        is_set="yes" if is_set else "",
        everywhere="yes" if len(nodes) > 1 and is_one and not is_set else "",
    )


def _group_offsets(e: Exhibits) -> Iterator[Line]:
    """The offsets in a table of `kafka-consumer-groups`."""
    for column, kind in (("NEW-OFFSET", "new_offset"), ("CURRENT-OFFSET", "current_offset")):
        for row in e.table("GROUP", column):
            to = f"{row['TOPIC']}-{row['PARTITION']} {'to' if kind == 'new_offset' else 'at'} {row[column]}"
            yield _fact(kind, 0, to=to)


def _rebalancing(e: Exhibits) -> Iterator[Line]:
    """The groups that `kafka-consumer-groups` found in a rebalance, with the members and the lag of its table."""
    found = [one["group"] for row in e.rows if (one := _REBALANCES.search(row.text))]
    rows = [*e.table("TOPIC", "CURRENT-OFFSET", "LAG"), *e.table("GROUP", "CURRENT-OFFSET", "LAG")]
    hosts = list(dict.fromkeys(row["HOST"].strip("/") for row in rows if row.get("HOST", "-") != "-"))
    members = sum(row.get("HOST", "-") != "-" and not row["PARTITION"].isdigit() for row in rows)
    is_owned = any(row["PARTITION"].isdigit() and row.get("HOST", "-") != "-" for row in rows)
    lag = sum(int(row["LAG"]) for row in rows if row["LAG"].isdigit())
    for group in dict.fromkeys(found):
        yield _fact(
            "rebalancing",
            0,
            group=group,
            times=str(found.count(group)) if found.count(group) > 1 else "",
            members=f"{members} {'member has' if members == 1 else 'members have'}" if members else "",
            hosts=some(hosts, 5),
            unowned="no partition has an owner" if rows and not is_owned else "",
            lag=f"{lag:,}" if lag else "",
        )


def _voters(e: Exhibits) -> Iterator[Line]:
    """The lists of voters that the settings name."""
    for text in dict.fromkeys(found["voters"].replace(" ", "") for found in _VOTERS.finditer(e.text)):
        addresses = {voter.partition("@")[2] for voter in text.split(",")}
        count = text.count(",") + 1
        shared = next(iter(addresses)) if count > 1 and len(addresses) == 1 else ""
        yield _fact(
            "voters",
            0,
            voters=text,
            count=str(count),
            two="yes" if count == 2 else "",
            loopback=shared if _LOOPBACK.fullmatch(shared) else "",
        )


def _votes(e: Exhibits) -> Iterator[Line]:
    """How the voters answered each node that lost elections: those that refused, or those that never answered."""
    rows = [row.text for row in e.rows if _ELECTION_ENDS.search(row.text)]
    nodes = [found[1] if (found := _RAFT_NODE.search(row)) else "" for row in rows]
    for node in dict.fromkeys(filter(None, nodes)):
        own = [row for row, of in zip(rows, nodes, strict=True) if of == node]
        ends = [dict(_VOTER.findall(row)) for row in own]  # the last state of a voter in a row is that of the end
        if not all(end and 2 * [*end.values()].count("GRANTED") <= len(end) for end in ends):
            continue
        against = [{voter for voter, vote in end.items() if vote == "REJECTED"} for end in ends]
        silent = [{voter for voter, vote in end.items() if vote == "UNRECORDED"} for end in ends]
        refusing, missing = set.intersection(*against), set.intersection(*silent)
        marks = list(dict.fromkeys(mark for row in own for mark in _HIGH_WATERMARK.findall(row)))
        if refusing or (missing and not any(against)):
            yield _fact(
                "votes_refused" if refusing else "votes_missing",
                0,
                node=node,
                voters=_voter_names(refusing or missing),
                of=str(len(ends[0])),
                times=str(len(own)) if len(own) > 1 else "",
                from_mark=marks[0] if len(marks) > 1 else "",
                to_mark=marks[-1] if len(marks) > 1 else "",
            )


def _voter_names(ids: set[str]) -> str:
    return f"{'voter' if len(ids) == 1 else 'voters'} {listed(sorted(ids, key=int))}"


def _directories(e: Exhibits) -> Iterator[Line]:
    """The meta.properties of log directories that a start found to differ."""
    found = [one for row in e.rows if (one := _PROPERTIES.match(row.text))]
    read: list[dict[str, str]] = [
        dict(pair.split("=", 1) for pair in re.findall(r"(?<![\w.])[\w.]++=[\w-]+", one["values"])) for one in found
    ]
    if len(read) < 2:
        return
    differing = sorted({name for one in read for name in one if len({other.get(name) for other in read}) > 1})
    yield _fact(
        "directories",
        0,
        total=str(len(read)),
        id=read[0].get("node.id") or read[0].get("broker.id", ""),
        differing=listed(differing),
        only_ids="yes" if differing == ["directory.id"] else "",
    )


def _refused_factors(e: Exhibits) -> Iterator[Line]:
    """The topics that the controller did not create for want of brokers, each with the setting of its factor."""
    found = (_FACTOR_REFUSED.search(row.text) for row in e.rows)
    refused = {(one["topic"], int(one["wanted"]), int(one["have"])) for one in found if one}
    for topic, wanted, have in sorted(refused):
        default = "in the request or the settings of the application that makes it, or default.replication.factor"
        yield _fact(
            "factor_refused",
            0,
            topic=topic,
            wanted=f"{wanted} {'replica' if wanted == 1 else 'replicas'}",
            have=f"{have} {'broker' if have == 1 else 'brokers'}",
            setting=_SETTINGS_OF_FACTORS.get(topic, default),
        )
