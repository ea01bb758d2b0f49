"""What a whole paste shows when its tables, settings and outputs are read together with its lines: the first fault, what
followed, what to do. Each case states what it needs; a line or a row that refutes it leaves it out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches

from replay.knowledge.answer import Case
from replay.knowledge.exhibits import Exhibits
from replay.lists import listed

_TIMEOUT = r"REQUEST_TIMED_OUT|due to request timeout|Expiring (?P<count>\d+) record\(s\) for (?P<tp>[\w.-]+-\d+)|has passed since batch creation"
_EXPIRED = r"Expiring (\d+) record\(s\) for ([\w.-]+)-(\d+)"
_BUSY_PERCENT, _SLOW_MS, _QUEUE = 95.0, 50.0, 10.0
_STOOD_STILL_S = 5.0
_IDLE_PERCENT = 50.0
_A_BROKER = re.compile(r"kafka|broker", re.IGNORECASE)
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class _Busy:
    device: str
    percent: float
    wait_ms: float
    queue: float
    host: str


def case_of(text: str) -> Case | None:
    """The case that the whole text proves; None if no case has all that it needs."""
    exhibits = Exhibits(text)
    return next((case for rule in _RULES if (case := rule(exhibits)) is not None), None)


def _number(text: str | None) -> float:
    found = re.match(r"[\d.]+", text or "")
    return float(found[0]) if found else 0.0


# --- A client waits: for its own process, or for a disk of the broker


def _disks(e: Exhibits) -> list[_Busy]:
    rows = e.table("Device", "%util")
    return [
        _Busy(
            row["Device"],
            _number(row["%util"]),
            max(_number(row.get("w_await")), _number(row.get("r_await")), _number(row.get("await"))),
            _number(row.get("aqu-sz") or row.get("avgqu-sz")),
            row["section"],
        )
        for row in rows
    ]


def _given_up(e: Exhibits) -> str:
    """What the client gave up, as the end of a sentence."""
    found = e.found(_EXPIRED)
    if found is None:
        return ""
    count, topic, partition = found[1].groups()
    return f" and gave up {count} records of {topic}-{partition}: send them again if the application has not"


def _paused_client(e: Exhibits) -> Case | None:
    """Full collections of a program that also logs a client's timeouts, longer than its requests can wait."""
    clients = {row.program for row, _ in e.each(r"clientId=|kafka-producer-network-thread|TimeoutException")}
    pauses = [one for one in e.pauses if one.seconds >= _STOOD_STILL_S and one.program in clients]
    if not pauses or e.found(_TIMEOUT) is None:
        return None
    name, longest, shortest = pauses[0].program, max(p.seconds for p in pauses), min(p.seconds for p in pauses)
    last = pauses[-1]
    is_full = last.after_mb >= 0.9 * last.heap_mb
    says = (
        f"{name or 'The application'} itself stood still: {len(pauses)} full garbage collections of {shortest:.0f} to {longest:.0f} s"
        f"{f', and its heap of {last.heap_mb} MB is full after each' if is_full else ''}."
        f" In that time the client could not read the brokers' answers, so its requests timed out{_given_up(e)}."
    )
    idle = [
        f"{row['NAME']} ({row['CPU %']} CPU)"
        for row in e.table("CONTAINER ID", "CPU %")
        if _A_BROKER.search(row["NAME"]) and row["NAME"] != name and _number(row["CPU %"]) < _IDLE_PERCENT
    ]
    calm = [f"The brokers are idle: {listed(idle)}."] if idle else []
    calm += [f"Disk {one.device} is idle ({one.percent:g} %)." for one in _disks(e) if one.percent < _IDLE_PERCENT]
    do = f"Take a heap dump of {name or 'the application'}; give it more heap, or let it hold less."
    return Case("client-stood-still", says, do, " ".join(calm))


def _slow_disk(e: Exhibits) -> Case | None:
    """A disk at its limit, and requests that time out."""
    busy = [
        one for one in _disks(e) if one.percent >= _BUSY_PERCENT and (one.wait_ms >= _SLOW_MS or one.queue >= _QUEUE)
    ]
    if not busy or e.found(_TIMEOUT + r"|no open connection|Shrinking ISR|under.?replicated") is None:
        return None
    one = busy[0]
    disk = next((row for row in e.table("Filesystem", "Use%") if one.device in row["Filesystem"]), None)
    holds = f", which holds {disk['Mounted']}," if disk else ""
    where = f"{one.host}: its" if one.host else "The broker's"
    closed = ", the client closed its connection" if e.found("no open connection") else ""
    says = (
        f"{where} disk {one.device}{holds} is saturated: {one.percent:.0f} % busy, a request waits {one.wait_ms / 1000:.1f} s, "
        f"{one.queue:.0f} wait in its queue. So the broker answers too slowly, requests time out{closed}{_given_up(e)}."
    )
    has_room = disk is not None and _number(disk["Use%"]) < 90
    calm = f"The file system has room ({disk['Use%']} used)." if disk and has_room else ""
    do = f"Find what loads {one.device} (iotop, a rebuild, a failing device, too many partitions) or give the logs a faster one. A longer timeout only hides it."
    return Case("disk-saturated", says, do, calm)


# --- kubectl describe


def _container(e: Exhibits) -> Case | None:
    """The Last State of a container, with its limits and its environment."""
    if e.found(r"^\s*Last State:") is None:
        return None
    fields, name = e.fields, e.fields.get("Name", "the container")
    code, reason = fields.get("Exit Code", ""), fields.get("Reason", "")
    reasons = [match[1] for _, match in e.each(r"^\s*Reason:\s+(\w+)")]
    limit = next((match[1] for _, match in e.each(r"^\s*memory:\s+(\S+)")), "")
    if "OOMKilled" in reasons or (code == "137" and "OOMKilled" in reason):
        heap = re.search(r"-Xmx(\d+)([gGmM])", fields.get("KAFKA_HEAP_OPTS", ""))
        share = _mib(f"{heap[1]}{heap[2]}i") / _mib(limit) if heap and limit and _mib(limit) else 0.0
        size = f"{heap[1]}{heap[2].upper()}i" if heap else ""
        why = (
            f" The heap alone may grow to {size} (-Xmx{heap[1]}{heap[2]}), {'the whole limit' if share >= 1 else f'{share:.0%} of the limit'}: threads, buffers and mapped indexes have no room beside it."
            if heap and share >= 0.7
            else ""
        )
        says = f"The kernel killed {name} because it used more than its memory limit of {limit} (OOMKilled, exit code 137).{why} Probes and BackOff only follow."
        do = (
            "Lower the heap to about half of the limit, or raise the limit."
            if why
            else "Raise the limit, or find what uses memory outside the heap."
        )
        return Case(
            "container-out-of-memory",
            says,
            do,
            "No setting of Kafka is shown to be wrong; the next start checks the logs.",
        )
    refused = _refused_setting(fields)
    if code == "1" and refused:
        says = f"{name} ends by itself with exit code 1 right after each start: Kafka refuses its configuration. {refused[0]} Probes and BackOff only follow."
        return Case(
            "setting-refused",
            says,
            refused[1],
            "Nobody kills the container, and its data are not touched. `kubectl logs --previous` shows the refusal.",
        )
    return None


def _refused_setting(fields: Mapping[str, str]) -> tuple[str, str] | None:
    """A setting in an environment block with which Kafka does not start, and what to do."""
    advertised = fields.get("KAFKA_ADVERTISED_LISTENERS", fields.get("KAFKA_CFG_ADVERTISED_LISTENERS", ""))
    if "//0.0.0.0:" in advertised:
        return (
            f"KAFKA_ADVERTISED_LISTENERS is {advertised}, and advertised.listeners cannot use 0.0.0.0, which no client can reach.",
            "Set advertised.listeners to a name that clients and brokers reach (the pod's name with its service); KAFKA_LISTENERS may keep 0.0.0.0.",
        )
    names = set(re.findall(r"(?<![A-Z_])([A-Z_]+)://", fields.get("KAFKA_LISTENERS", "")))
    mapped = set(re.findall(r"(?<![A-Z_])([A-Z_]+):", fields.get("KAFKA_LISTENER_SECURITY_PROTOCOL_MAP", "")))
    known = {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}
    missing = names - mapped if mapped else names - known
    if missing:
        return (
            f"The listener {sorted(missing)[0]} has no security protocol in KAFKA_LISTENER_SECURITY_PROTOCOL_MAP.",
            f"Add {sorted(missing)[0]}:PLAINTEXT (or its protocol) to the map.",
        )
    return None


def _mib(text: str) -> float:
    found = re.match(r"(\d+)([GMK]?)i?", text.upper())
    return int(found[1]) * {"G": 1024.0, "M": 1.0, "K": 1 / 1024, "": 1 / 2**20}[found[2]] if found else 0.0


# --- Kerberos, in its own words


def _kerberos(e: Exhibits) -> Case | None:
    """An error of Kerberos that a broker logs about a login."""
    found = e.found(r"\(Mechanism level: (?P<text>[^()]*) \((?P<code>\d+)\)")
    if found is None:
        return None
    code, words = int(found[1]["code"]), found[1]["text"]
    broker = e.found(r"(?:nodeId=|id=|brokerId=)(\d+)")
    who = f"broker {broker[1][1]}" if broker else "the broker"
    eof = " EOF at the client is only the other end of this refusal." if e.found(r"\bEOF\b") else ""
    head = f"The login was refused by {who} in Kerberos: '{words} ({code})'.{eof}"
    if code == 44:
        old = [
            f"the keytab of {who} holds version {held} of the key of {principal}, the KDC gives tickets for version {e.tickets[principal]}"
            for principal, held in e.keys.items()
            if e.tickets.get(principal, held) != held
        ]
        says = f"{head} {_begun('; '.join(old) or f'the keytab of {who} lacks the key version of the ticket')}: the keytab is outdated."
        return Case(
            "keytab-outdated",
            says,
            f"Export a new keytab for {who} (check it with klist -kt) and restart it; look whether the keytabs of the other brokers are old as well.",
            "Neither the client's login nor TLS is shown to be wrong.",
        )
    if code == 37:
        return _kerberos_clocks(e, head, who)
    return None


def _begun(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def _kerberos_clocks(e: Exhibits, head: str, who: str) -> Case:
    stamps = [
        datetime.fromisoformat(match[0].replace("T", " "))
        for _, match in e.each(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?=[.,]\d{3})")
    ]
    apart = max(stamps) - min(stamps) if stamps else timedelta()
    agree = (
        f" The stamps of one event show it: {min(stamps):%H:%M:%S} and {max(stamps):%H:%M:%S}, {apart.total_seconds() / 60:.0f} minutes apart, if both are in the same zone."
        if timedelta(minutes=5) <= apart <= timedelta(minutes=59)
        else ""
    )
    keys = (
        "The keytab is current (its version is that of the KDC)."
        if e.keys and all(e.tickets.get(name, held) == held for name, held in e.keys.items())
        else ""
    )
    return Case(
        "kerberos-clock-skew",
        f"{head} The clocks differ by more than the 5 minutes that Kerberos allows.{agree}",
        f"Set the clocks (chrony or NTP) of the host of {who}, of the client's host and of the KDC.",
        keys,
    )


# --- Volumes


def _volume(e: Exhibits) -> Case | None:
    """A volume that another machine or pod still uses, and whether it was attached later."""
    if e.found(r"Multi-Attach error") is None:
        return None
    pods = {row["NAME"]: row.get("STATUS", "") for row in e.table("NAME", "READY")}
    attached = e.found(r"AttachVolume\.Attach succeeded")
    running = [name for name, status in pods.items() if status == "Running"]
    started = e.found(r"Kafka Server started|has been unfenced|Started container")
    pod = next((match[1] for _, match in e.each(r"Successfully assigned [^\s/]{1,255}/([^\s/]{1,255}) to")), "the pod")
    if attached and started and (not pods or pod in running):
        says = f"Over: the volume of {pod} was still attached to another node; then it was attached, the container started, and the broker runs{' (pod Ready)' if pod in running else ''}. The events before it (scheduling, failed probes) belong to that start."
        return Case(
            "volume-attached-later",
            says,
            "Nothing to do. If such moves are frequent, see why the old node releases its volumes so late.",
            "",
            is_calm=True,
        )
    holder = e.found(r"already used by pod\(s\) ([\w.,-]+)")
    if holder is None or attached:
        return None
    name = holder[1][1]
    since = next((row.get("AGE", "") for row in e.table("NAME", "READY") if row["NAME"] == name), "")
    on = next((row.get("NODE", "") for row in e.table("NAME", "READY") if row["NAME"] == name), "")
    says = f"{pod} cannot start: its volume can be attached to one node only, and the pod {name}{f' on {on}' if on else ''} uses it{f' (started {since} ago)' if since else ''}. As long as {name} runs, this does not pass. That other brokers cannot reach it only follows."
    return Case(
        "volume-held",
        says,
        f"End the pod {name} (ask who started it); then the volume is attached and {pod} starts.",
        "Do not delete the claim.",
    )


# --- Too few in-sync replicas


def _too_few_in_sync(e: Exhibits) -> Case | None:
    """Rejected writes beside the described partitions."""
    refused = e.found(r"min\.isr requirement of (\d+) for partition ([\w.-]+)-(\d+)|NotEnoughReplicas")
    if refused is None or not e.partitions:
        return None
    topic = refused[1][2] or e.partitions[0].topic
    own = [one for one in e.partitions if one.topic == topic]
    if not own:
        return None
    wanted = refused[1][1] or "2"
    short = [one for one in own if set(one.isr) < set(one.replicas)]
    factor = max(len(one.replicas) for one in own)
    if not short and factor < int(wanted):
        says = f"The topic {topic} has replication factor {factor}, while min.insync.replicas is {wanted}: writes with acks=all can never succeed, on all its {len(own)} partitions. No broker is at fault: every ISR is complete."
        return Case(
            "fewer-replicas-than-min-isr",
            says,
            f"Give {topic} more replicas (kafka-reassign-partitions), or set its min.insync.replicas to {factor} if one copy is wanted.",
            "Waiting or restarting brokers does not help. Nothing stored is lost.",
        )
    missing = Counter(broker for one in short for broker in set(one.replicas) - set(one.isr))
    alone = [
        broker for broker, count in missing.items() if count == len(short) == sum(broker in one.replicas for one in own)
    ]
    if not alone:
        return None
    broker, numbers = alone[0], listed([str(one.partition) for one in short])
    says = f"Broker {broker} is away or far behind: it is missing from the ISR of partitions {numbers} of {topic}, exactly those that have a replica on it; all other ISRs are complete. With min.insync.replicas={wanted}, writes with acks=all to these partitions are refused."
    more = (
        f" With {factor} replicas and min.insync.replicas={wanted}, each stop of one broker stops writes; one more replica would bear it."
        if factor == int(wanted)
        else ""
    )
    return Case(
        "one-broker-out-of-isrs",
        says,
        f"Look at broker {broker}: its process, log, disk, network. When it is back in the ISRs, the writes go on.{more}",
        "The leader that reports it is not at fault, and nothing acknowledged is lost.",
    )


# --- Topics by name


def _topic_name(e: Exhibits) -> Case | None:
    """A topic that clients ask for and the list of topics does not have, or that was made by its first use."""
    asked = e.found(
        r"\{(?P<a>[\w.-]+)=(?:UNKNOWN_TOPIC_OR_PARTITION|LEADER_NOT_AVAILABLE)|Topic (?P<b>\S+) not present in metadata"
    )
    if asked is None:
        return None
    topic = asked[1]["a"] or asked[1]["b"]
    listing, auto = (
        e.listed_topics,
        next((value for _, name, value in e.settings if name.endswith("auto.create.topics.enable")), ""),
    )
    if listing is not None and topic not in listing:
        close = get_close_matches(topic, [one for one in listing if not one.startswith("__")], 1, 0.75)
        there = f" There is {close[0]}: most likely that is meant." if close else ""
        none = " Topics are not created automatically (auto.create.topics.enable=false)." if auto == "false" else ""
        says = f"The topic {topic} does not exist.{none}{there}"
        return Case(
            "topic-does-not-exist",
            says,
            f"Correct the name in the application{f' to {close[0]}' if close else ''}, or create {topic} on purpose. Records that it tried to send meanwhile were not stored.",
            "The brokers answer and are not at fault.",
        )
    described = [one for one in e.partitions if one.topic == topic]
    is_led = described and all(one.leader.isdigit() and set(one.isr) == set(one.replicas) for one in described)
    stored = e.found(rf"(?:stored|sent|acked|offset)[^\n]{{0,400}}{re.escape(topic)}-\d{{1,9}}@?")
    if e.found(r"LEADER_NOT_AVAILABLE") and is_led and (stored or auto == "true"):
        made = " It was created by its first use (auto.create.topics.enable=true)." if auto == "true" else ""
        says = f"Normal: the topic {topic} was new and its leader not yet known for a moment.{made} Now every partition of it has a leader and a full ISR{', and a record was stored' if stored else ''}."
        return Case(
            "topic-made-by-first-use",
            says,
            "Nothing to do. If its number of partitions does not suit you, create topics beforehand.",
            "",
            is_calm=True,
        )
    return None


# --- Timestamps out of range


def _timestamp(e: Exhibits) -> Case | None:
    """A record's timestamp outside of what a topic accepts, compared with the time of the line and of hosts."""
    found = e.found(r"Timestamp (\d{12,14}) of message .{0,400}?within \[(\d{12,14}), (\d{12,14})\]")
    stamp = e.found(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)[.,]\d{3}(Z|[+-]\d\d:\d\d)?")
    if found is None or stamp is None:
        return None
    record, low, high = (int(one) for one in found[1].groups())
    zone = (stamp[1][3] or "Z").replace("Z", "+00:00")
    logged = datetime.fromisoformat(f"{stamp[1][1]}T{stamp[1][2]}{zone}").astimezone(UTC)
    logged_ms = logged.timestamp() * 1000
    now = min((high, high - 3_600_000), key=lambda one: abs(one - logged_ms))
    topic = next((match[1] for _, match in e.each(r"to topic ([\w.-]+)")), "the topic")
    at = datetime.fromtimestamp(record / 1000, UTC)
    if abs(now - logged_ms) < 300_000:
        says = f"The record is too {'old' if record < low else 'new'} for {topic}: its timestamp {record} is {at:%d %B %Y}, {abs(logged_ms - record) / _DAY_MS:.0f} days from the time of the line; accepted are {_day(low)} to {_day(high)} UTC. The clocks agree: the broker's time, by which it accepts, is that of the line ({logged:%H:%M:%S} UTC)."
        return Case(
            "record-too-old",
            says,
            f"For a back-fill, raise message.timestamp.before.max.ms of {topic} (see retention.ms too: old records can be deleted at once), or send the record with the present time. It was not stored and must be sent again.",
            "",
        )
    return _clock_of_a_broker(e, record, high, logged_ms)


def _clock_of_a_broker(e: Exhibits, record: int, high: int, logged_ms: float) -> Case | None:
    """A record with the producer's present time, which a broker refused by its own clock."""
    off = [(host, skew) for host, skew in _clocks(e) if abs(skew) > 300]
    behind = logged_ms - (high - 3_600_000)
    if abs(record - logged_ms) > 300_000:
        return None
    which = (
        f"`date` shows which: {off[0][0]} is {_span(abs(off[0][1]))} {'behind' if off[0][1] < 0 else 'ahead'}."
        if off
        else "Compare the clocks of the brokers."
    )
    says = f"The clock of a broker is wrong, not the record: the record carries the producer's present time ({_day(record)[-8:]} UTC), but the broker that refused it took the time to be about {_day(high - 3_600_000)[-8:]}, {_span(behind / 1000)} {'behind' if behind > 0 else 'ahead'}. {which}"
    host = off[0][0] if off else "that broker"
    return Case(
        "broker-clock-wrong",
        says,
        f"Set the clock of {host} (chrony or NTP); then it accepts records again. Send the refused records again.",
        f"Do not raise the limits. What {host} stamped or deleted by its own time is off by as much.",
    )


def _day(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%d %B %Y %H:%M:%S}"


def _span(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _clocks(e: Exhibits) -> list[tuple[str, float]]:
    """The clocks of hosts in the output of `hostname; date -u`, in seconds from the median one."""
    read: list[tuple[str, datetime]] = []
    for before, row in zip(e.rows, e.rows[1:], strict=False):
        found = re.match(
            r"[A-Z][a-z]{2} +([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (?:UTC|GMT) (\d{4})$", row.text.strip()
        )
        if found and re.fullmatch(r"[\w.-]{1,60}", before.text.strip()):
            read.append((before.text.strip(), datetime.strptime(" ".join(found.groups()), "%b %d %H:%M:%S %Y")))
    if len(read) < 3:
        return []
    median = sorted(at for _, at in read)[len(read) // 2]
    return [(host, (at - median).total_seconds()) for host, at in read]


# --- Two cluster ids


def _cluster_id(e: Exhibits) -> Case | None:
    """A node whose directory and configuration have different cluster ids."""
    expected = r"Expected (?P<b>[\w-]{22}), but read (?P<a>[\w-]{22})|Cluster ID (?P<d>[\w-]{22}) doesn't match stored clusterId Some\((?P<c>[\w-]{22})\)"
    found = list(e.each(expected))
    if not found:
        return None
    _row, match = found[0]
    stored, given = match["a"] or match["c"], match["b"] or match["d"]
    nodes = list(dict.fromkeys(one.program for one, _ in found if one.program))
    wrong = [source for source, name, value in e.settings if name.upper().endswith("CLUSTER_ID") and value == given]
    right = [source for source, name, value in e.settings if name.upper().endswith("CLUSTER_ID") and value == stored]
    cluster = e.fields.get("ClusterId", "")
    if (wrong and right) or cluster == stored:
        where = f"CLUSTER_ID in {wrong[0]}" if wrong else "its configured cluster id"
        others = f", and of {listed(right)}" if right else ""
        says = f"Only {nodes[0] if nodes else 'this node'} refuses to start: its configuration names cluster {given}, its volume belongs to {stored}, which is the id of the running cluster{others}. The volume is right, {where} is wrong."
        return Case(
            "cluster-id-setting-wrong",
            says,
            f"Set {stored} there and start it again. Do not format its volume: it holds its replicas.",
            "The other nodes go on meanwhile, as long as they are a majority.",
        )
    chroots = {value for _, name, value in e.settings if name == "zookeeper.connect"}
    if len(nodes) > 1 and len({one["c"] for _, one in found}) == 1 and len(chroots) <= 1 and match["c"]:
        empty = e.found(r"Snapshotting: 0x0 to (\S+)")
        how = (
            f" ZooKeeper wrote its first snapshot at 0x0 just before ({empty[1][1]}): it started with an empty data directory."
            if empty
            else ""
        )
        says = f"All brokers refuse to start with the same two ids ({listed(nodes)}): their directories agree with each other ({stored}), the cluster in ZooKeeper is new ({given}).{how}"
        return Case(
            "zookeeper-lost-its-data",
            says,
            "Bring the old ZooKeeper data back (its volume or a backup), then start the brokers again. An empty ZooKeeper knows no topics.",
            "Do not format the brokers or delete their meta.properties: their records are whole. The connect string is the same everywhere.",
        )
    return None


# --- Starts


def _boot(e: Exhibits) -> Case | None:
    """A unit of systemd that failed at its start, and the units that depend on it."""
    failed = e.found(
        r"^(?P<unit>[\w@.-]+)\.service: (?:Control process|Main process) exited, code=exited, status=(?P<status>\d+)"
    )
    follows = [match[1] for _, match in e.each(r"Dependency failed for (.{1,255}?)\.?$")]
    if failed is None or not follows:
        return None
    at = failed[0].number
    reasons = [
        row
        for row in e.rows
        if row.number < at and row.section == failed[0].section and row.program not in ("systemd", "")
    ]
    if not reasons:
        return None
    reason, unit = reasons[-1], failed[1]["unit"]
    host = f" on {reason.section}" if reason.section else ""
    java = (
        " Its script found no Java." if "java could not be found" in reason.text or "JAVA_HOME" in reason.text else ""
    )
    says = f"First fault{host}: {unit}.service did not start. {reason.program} says why: '{reason.text}'.{java} {listed(follows)} depends on it, so systemd did not start it at all: it has no log of this boot. The clients' timeouts only follow."
    do = (
        f"Set JAVA_HOME (or PATH) in {unit}.service and in kafka.service, run systemctl daemon-reload, start both."
        if java
        else f"Remove that reason, then start {unit}.service and what depends on it."
    )
    return Case(
        "unit-not-started", says, do, "The listeners and topics are not shown to be wrong; data are not touched."
    )


def _unresolved_name(e: Exhibits) -> Case | None:
    """One client's bootstrap name that does not exist, while the broker serves others."""
    found = e.found(r"Failed to resolve '(?P<name>[\w.-]+):(?P<port>\d+)'")
    if found is None:
        return None
    name, client = found[1]["name"], found[0].program
    up = {row["NAMES"]: row["STATUS"] for row in e.table("NAMES", "STATUS")}
    broker = next(
        (row.program for row, _ in e.each(r"\(kafka\.[\w.]+\)|\[GroupCoordinator|\[KafkaServer") if row.program in up),
        "",
    )
    if not broker or name in up:
        return None
    other = e.found(rf"{re.escape(broker)}:\d+")
    serves = (
        f" and serves {other[0].program} in the same moment" if other and other[0].program not in ("", client) else ""
    )
    says = f"Only {client or 'this client'} is wrong: its bootstrap name {name} does not exist in this network. The broker is called {broker}; it is up ({up[broker]}){serves}."
    return Case(
        "bootstrap-name-wrong",
        says,
        f"Set bootstrap.servers of {client or 'the client'} to {broker}:{found[1]['port']}, or give {broker} the alias {name}.",
        f"Nothing to do at the broker: 'brokers are down' means only the name {name}.",
    )


def _reporter_at_start(e: Exhibits) -> Case | None:
    """A client inside a broker that tries the broker's own port before it is open, and connects after it."""
    tried = e.found(
        r"\[Producer clientId=(?P<client>\w{0,100}Reporter\w{0,100})\] (?:Connection to node|Bootstrap broker)[^\n]{0,400}(?:localhost|127\.0\.0\.1)"
    )
    started = e.found(r"(?:nodeId=|id=)(\d+)\] (?:Kafka Server started|started)")
    if tried is None or started is None:
        return None
    later = [row for row, _ in e.each(rf"\[Producer clientId={tried[1]['client']}\]") if row.number > started[0].number]
    if not any("Cluster ID" in row.text for row in later) or any(
        "could not be established" in row.text for row in later
    ):
        return None
    says = f"A normal start of broker {started[1][1]}: {tried[1]['client']} is a producer inside the broker itself (its metrics reporter), which tries the broker's own port before it is open. After the start it connected (Cluster ID)."
    return Case(
        "reporter-before-its-broker",
        says,
        "Nothing to do. It would matter only if it went on after the start.",
        "",
        is_calm=True,
    )


def _majority_lost(e: Exhibits) -> Case | None:
    """A leader of the metadata quorum that hears nothing from the other voters."""
    found = list(
        e.each(
            r"\[RaftManager (?:node)?[iI]d=(\d+)\] Did not receive fetch request from the majority of the voters within (\d+)ms"
        )
    )
    if not found or e.found(r"Fencing|signal SIGTERM|shut ?down") is not None:
        return None
    times = [stamp[1] for row, _ in found if (stamp := re.search(r" (\d\d:\d\d:\d\d)", row.text))]
    node, ms = found[0][1].groups()
    again = (
        f" This happened {len(found)} times ({listed(times)}): between them it was elected again, so the other voters live, and the quorum is not stable."
        if len(found) > 1
        else ""
    )
    says = f"Controller {node} led the metadata quorum and resigned without its majority: it received no fetch from the other voters within {ms} ms.{again} Without an active controller, no leader is elected and no ISR changes."
    return Case(
        "leader-without-majority",
        says,
        f"Look first at node {node} (a pause of Java, its disk, its network), since it loses all others at once; then at the logs of the other voters.",
        "Committed metadata are not lost.",
    )


# --- Who printed a fatal error


def _duplicate_directories(e: Exhibits) -> Case | None:
    """A partition in two log directories of one broker."""
    found = e.found(
        r"Duplicate log directories for (?P<tp>\S+) are found in both (?P<one>\S+) and (?P<two>\S+?)[.,]?\s"
    )
    if found is None:
        return None
    who = found[0].program or "The broker"
    clients = sorted(
        {
            row.program
            for row, _ in e.each(r"Connection refused|brokers are down|could not be established")
            if row.program not in ("", who)
        }
    )
    follow = f" That {listed(clients)} cannot connect is a consequence." if clients else ""
    says = f"{who} cannot start (this is the broker's own fatal error): {found[1]['tp']} lies in two log directories, {found[1]['one']} and {found[1]['two']}, left from a move between disks that a failure broke off.{follow}"
    return Case(
        "partition-in-two-directories",
        says,
        f"Move one of the two directories away and keep it: the one on the disk that failed lately (compare their newest segments first). Then start {who}.",
        "Nothing else in the log directories is concerned: do not empty or format them.",
    )


def _fenced_producer(e: Exhibits) -> Case | None:
    """A transactional producer that a newer instance replaced."""
    found = e.found(
        r"fenced by a newer instance|ProducerFencedException|There is a newer producer with the same transactionalId"
    )
    granted = e.found(
        r"Initialized transactional(?:I|.i)d (?P<id>\S+) with producerId \d+ and producer epoch (?P<epoch>\d+)"
    )
    if found is None or granted is None:
        return None
    who, broker = found[0].program, granted[0].program or "the broker"
    says = f"The fatal error is the producer's{f' of {who}' if who else ''}: a newer instance with the same transactional.id ({granted[1]['id']}) took over, and {broker} gave it producer epoch {granted[1]['epoch']}. So the older instance is fenced, as it should be, and can do nothing more."
    return Case(
        "producer-replaced",
        says,
        "If two instances run, give each its own transactional.id. After a restart or a roll-out nothing is to be done.",
        f"{broker} is healthy and not to blame. The open transaction of the old instance is aborted.",
    )


# --- Kafka's own tools


def _features(e: Exhibits) -> Case | None:
    """A refused change of a feature level."""
    found = e.found(
        r"Could not (?:up|down)grade (?P<f>[\w.]{1,100}) to (?P<to>\d{1,9}).{0,400}?(?P<who>[Bb]roker|[Cc]ontroller|[Nn]ode) (?P<id>\d+) only supports versions (?P<range>[\d-]+)"
    )
    if found is None:
        return None
    m = found[1]
    says = f"Nothing was changed: the controller refused {m['f']} {m['to']}, because {m['who'].lower()} {m['id']} only supports {m['range']}: it still runs an older release."
    return Case(
        "feature-refused",
        says,
        f"Upgrade the binaries of {m['who'].lower()} {m['id']} (or, if it is gone for good, unregister it), then run the command again.",
        "Until then the cluster keeps its level; do not force it.",
    )


def _dry_run(e: Exhibits) -> Case | None:
    """A reset of offsets without --execute."""
    if (
        e.found(
            r"No action will be performed as the --execute option is missing|--reset-offsets(?!.{0,400}--execute).{0,400}--dry-run"
        )
        is None
    ):
        return None
    would, stands = _offsets(e, "NEW-OFFSET", " to "), _offsets(e, "CURRENT-OFFSET", " at ")
    would = f" The table shows what it would set: {would}." if would else ""
    stands = f" The group still stands as before: {stands}." if stands else ""
    idle = " It has no active members, so the reset is possible now." if e.found("has no active members") else ""
    return Case(
        "reset-not-executed",
        f"Nothing was reset: without --execute the command is a dry run.{would}{stands}{idle}",
        "Run the same command again with --execute; the group then reads from there again, what retention has kept.",
        "This is no fault of Kafka.",
    )


def _offsets(e: Exhibits, column: str, joined: str) -> str:
    """The offsets in a table of kafka-consumer-groups: `exports-0 to 1204 and exports-1 to 988`."""
    return listed([f"{row['TOPIC']}-{row['PARTITION']}{joined}{row[column]}" for row in e.table("GROUP", column)])


_RULES: Sequence[Callable[[Exhibits], Case | None]] = (
    _container,
    _volume,
    _paused_client,
    _slow_disk,
    _kerberos,
    _too_few_in_sync,
    _topic_name,
    _timestamp,
    _cluster_id,
    _boot,
    _unresolved_name,
    _reporter_at_start,
    _majority_lost,
    _duplicate_directories,
    _fenced_producer,
    _features,
    _dry_run,
)
