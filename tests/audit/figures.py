"""Each figure is computed again from the rows that it is of, and one thing has one figure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from replay.catalogue.kinds import CLIENT_KINDS, HOST_KINDS, KINDS
from replay.faults.kinds import BY_NAME
from replay.sentences.spans import rounded_down, rounded_up, span
from replay.tables import DECLARED
from tests.audit.checks import OPEN, Found, check, name_of, sentences
from tests.audit.printed import JSON, PAGE, TERMINAL, Result

_ORDERED = {
    "broker_sessions": (("start_ts", "end_ts"),),
    "controllers": (("start_ts", "ready_ts"),),
    "faults": (("began_low", "ended_high"),),
    "losses": (("from_offset", "to_offset_low"),),
    "truncations": (("truncation_offset", "log_end_offset"),),
}
_BOUNDS = (("_low", "_high"), ("_min", "_max"), ("low_", "high_"), ("min_", "max_"))  # in the names of columns


def _pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """The columns that are a lower and an upper bound, or a begin and an end, by their names."""
    of = {name for name in names if not name.endswith("evidence")}
    bounds = [(name, name.replace(low, high, 1)) for name in of for low, high in _BOUNDS if low in name]
    return sorted({pair for pair in (*bounds, ("start_ts", "end_ts")) if of.issuperset(pair)})


@check
def bounds_are_in_order(result: Result) -> Found:
    """In no row of any table is a lower bound above its upper bound, and nothing ends before it begins."""
    for table, frame in result.tables.items():
        pairs = [*_pairs(frame.columns), *_ORDERED.get(table, ())]
        for row in result.rows(table) if pairs else ():
            for low, high in pairs:
                one, other = getattr(row, low, None), getattr(row, high, None)
                if one is not None and other is not None and other < one:
                    yield f"{table}.{low} {one}", f"{table}.{high} {other}"
    for row in result.rows("incidents"):
        for one in row.down or ():
            for low, high in _pairs(one):
                if None not in (one[low], one[high]) and one[high] < one[low]:
                    yield f"{row.incident_id} down {low} {one[low]}", f"{high} {one[high]}"


@check
def losses_of_an_incident_add_up(result: Result) -> Found:
    """The least and the greatest number of lost offsets of an incident are the sums over its verdicts."""
    of = defaultdict(list)
    for loss in result.rows("losses"):
        if loss.verdict in OPEN:
            of[loss.incident_id, loss.loss_class == "committed"].append(loss)
    for row in result.rows("incidents"):
        committed = of[row.incident_id, True]
        proven = [x for x in committed if x.verdict == "PROVEN_LOSS" and x.to_offset_low is not None]
        low = sum(x.to_offset_low - x.from_offset for x in proven)
        ends = [x.to_offset_high is None or x.from_offset is None for x in committed]
        high = None if any(ends) else sum(x.to_offset_high - x.from_offset for x in committed)
        if (row.lost_offsets_min or 0) != low:
            yield f"{row.incident_id}: at least {row.lost_offsets_min} committed offsets lost", f"losses: {low}"
        if row.lost_offsets_max != high:
            yield f"{row.incident_id}: at most {row.lost_offsets_max} committed offsets lost", f"losses: {high}"


_AMOUNT = re.compile(r"^(at least |at most )?([\d,]+)(?: and at most ([\d,]+))? (?:record|offset)s? of ")


@check
def amounts_in_words_are_the_amounts(result: Result) -> Found:
    """A sentence on losses has the figures of its incident."""
    for row in result.rows("incidents"):
        found = _AMOUNT.match(row.lost_committed or "")
        if found is None:
            continue
        how, low, high = found[1], _number(found[2]), _number(found[3])
        is_open = high is None and how == "at least "
        expected = (row.lost_offsets_max,) if how == "at most " else (row.lost_offsets_min,)
        if low not in expected or (high is not None and high != row.lost_offsets_max):
            yield row.lost_committed, f"incident: {row.lost_offsets_min} to {row.lost_offsets_max}"
        if how is None and high is None and not is_open and row.lost_offsets_max not in (low,):
            yield row.lost_committed, f"at most {row.lost_offsets_max}"


def _number(text: str | None) -> int | None:
    return None if text is None else int(text.replace(",", ""))


@check
def totals_of_losses_add_up(result: Result) -> Found:
    """The table of totals has, for each topic and class, the sums over the verdicts."""
    sums: dict[tuple[str, bool], list[int | None]] = defaultdict(lambda: [0, 0])
    for loss in result.rows("losses"):
        if loss.verdict in OPEN:
            both = sums[loss.topic, loss.loss_class != "committed"]
            if loss.verdict == "PROVEN_LOSS" and loss.to_offset_low is not None:
                both[0] = (both[0] or 0) + loss.to_offset_low - loss.from_offset
            high = None if loss.to_offset_high is None or loss.from_offset is None else loss.to_offset_high
            both[1] = None if both[1] is None or high is None else both[1] + high - loss.from_offset
    for grid in result.grids:
        if grid.caption != "Totals, in offsets":
            continue
        for topic, affects, _, least, most, _ in grid.rows:
            if " alike" in topic:
                continue
            low, high = sums[topic, affects.startswith("acks=1")]
            shown = least, most
            if shown != (f"{low or 0:,}", "not known" if high is None else f"{high:,}"):
                yield f"totals of {topic}: {least} to {most}", f"losses: {low} to {high}"


_CAPTIONS = {
    "Elections": lambda r: len(r.rows("elections")),
    "Log truncations": lambda r: len(r.rows("truncations")),
    "Broker sessions": lambda r: len(r.rows("broker_sessions")),
    "Active controllers": lambda r: len(r.rows("controllers")),
    "Files read": lambda r: len(r.rows("coverage")),
    "Confirmed, possible and unknown losses": lambda r: sum(x.verdict in OPEN for x in r.rows("losses")),
    "Checked, no loss": lambda r: sum(x.verdict not in OPEN for x in r.rows("losses")),
}


@check
def captions_count_their_rows(result: Result) -> Found:
    """The number beside a caption is the number of rows of the table that it shows."""
    for grid in result.grids:
        if grid.caption in _CAPTIONS and grid.count is not None and grid.count != _CAPTIONS[grid.caption](result):
            yield f"{grid.caption} ({grid.count})", f"{_CAPTIONS[grid.caption](result)} rows"


@check
def titles_count_their_partitions(result: Result) -> Found:
    """A finding's title that counts partitions counts those that it lists."""
    for row in result.rows("findings"):
        found = re.search(r"\b([\d,]+) partitions?\b", row.title or "")
        if found and row.partitions and _number(found[1]) != len(set(row.partitions)):
            yield row.title, f"{len(set(row.partitions))} partitions listed"


@check
def changes_of_leader_add_up(result: Result) -> Found:
    """Leader changes of an incident are its elections of another leader, and the unclean ones."""
    changes = {(name_of(e), e.leader_epoch): e for e in result.rows("elections")}
    counted: Counter[str | None] = Counter()
    for vertex in result.rows("vertices"):
        election = changes.get((name_of(vertex), vertex.leader_epoch))
        if vertex.kind == "unclean_election":
            counted[vertex.incident_id] += election is None or election.old_leader_id != election.new_leader_id
        elif vertex.kind == "election" and election is not None and election.trigger != "preferred":
            counted[vertex.incident_id] += election.old_leader_id not in (None, election.new_leader_id)
    for row in result.rows("incidents"):
        if row.elections != counted[row.incident_id]:
            yield f"{row.incident_id}: {row.elections} leader changes", f"elections: {counted[row.incident_id]}"


_WAIT = re.compile(
    r"(?:to (?:at least )?)[\d,]+ partitions? of (?P<topics>[\w.\-]+(?:, [\w.\-]+)*(?: and [\w.\-]+)?) (?:were blocked )?for "
    r"(?P<least>at least )?(?P<low>[\d.]+)(?: to (?P<high>[\d.]+))? (?P<unit>ms|s)\b(?P<worst> \([\w.\-]+, the longest\))?"
)


@check
def a_wait_is_that_of_each_topic_it_names(result: Result) -> Found:
    """A sentence that gives one wait for several topics holds for each of them; "the longest" is of one."""
    for row in result.rows("incidents"):
        down = {one["topic"]: one for one in row.down or ()}
        for found in _WAIT.finditer(row.told or ""):
            if found["worst"]:
                continue
            for topic in [name for name in re.split(r", | and ", found["topics"]) if name in down]:
                low_ms, high_ms = down[topic]["acks_all_low_ms"], down[topic]["acks_all_high_ms"]
                wait = span(low_ms, high_ms) if low_ms == high_ms else rounded_down(low_ms)
                if not wait.startswith(found["low"]):
                    yield f"{found[0]}", f"down: {topic} at least {wait}"


@check
def waits_in_a_row_have_no_break(result: Result) -> Found:
    """A partition is closed without a break for at least as long as a wait in a row."""
    times = defaultdict(list)
    for row in result.rows("availability"):
        if row.acks == "all" and row.state == "closed" and row.end_ts is not None:
            times[name_of(row)].append(row)
    for incident in result.rows("incidents"):
        for wait in incident.in_a_row or ():
            for name in wait["partitions"]:
                closed = _longest_ms(times[name])
                if not wait["is_open"] and closed < wait["low_ms"]:
                    yield f"{name}: {wait['low_ms']} to {wait['high_ms']} ms in a row", f"availability: {closed} ms"


def _longest_ms(rows: Iterable[Any]) -> int:
    """The longest time that rows cover without a break."""
    longest, begin, end = 0.0, None, None
    for row in sorted(rows, key=lambda row: row.start_ts):
        begin, end = (row.start_ts, row.end_ts) if end is None or row.start_ts > end else (begin, max(end, row.end_ts))
        longest = max(longest, (end - begin).total_seconds() * 1000)
    return round(longest)


@check
def one_thing_has_one_figure(result: Result) -> Found:
    """Page and findings.json have the sentences of the incidents as they are; the terminal those of the worst."""
    texts = {surface: [p.text for p in result.printed if p.surface == surface] for surface in (PAGE, JSON, TERMINAL)}
    of_page = "\n".join(texts[PAGE])
    in_json = set(texts[JSON])
    for row in result.rows("incidents"):
        for text in filter(None, (row.title, row.told, row.lost_committed, row.lost_uncommitted)):
            if " " in text and text not in in_json:
                yield f"{row.incident_id}: {text}", "findings.json has another text"
        for step in row.next_steps or ():
            if _plain(step) not in _plain(of_page):
                yield step, "the page has another next step"
        if row.title and row.title not in of_page:
            yield row.title, "the page has another title"
        lines = [line for line in texts[TERMINAL] if row.title and row.title in line]
        if not lines and row.title and len(result.rows("incidents")) <= 20:
            yield row.title, "the terminal does not show it"


def _plain(text: str) -> str:
    """Text without the marks of code and links."""
    return re.sub(r"\s+", "", text.replace("`", ""))


@check
def no_controller_has_one_duration(result: Result) -> Found:
    """How long no controller was active reads the same in the story and beside it."""
    for row in result.rows("incidents"):
        own = span(row.no_controller_low_ms, row.no_controller_high_ms) if row.no_controller_high_ms else None
        for found in re.finditer(r"no controller was active for ([^,;.]+(?:\.\d[^,;.]*)*)", row.told or ""):
            if own is not None and found[1].strip() != own and not _within(found[1], row.no_controller_high_ms):
                yield found[0], f"no active controller for {own}"


def _within(text: str, high_ms: int) -> bool:
    """Whether a duration in words is not longer than this."""
    found = re.findall(r"([\d.]+) (ms|s|min|h)", text)
    units = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000}
    return bool(found) and sum(float(n) * units[unit] for n, unit in found) <= high_ms + 50


@check
def controllers_have_one_time(result: Result) -> Found:
    """A time at which a node took over as controller is a time of its tenures."""
    clocks = defaultdict(set)
    for row in result.rows("controllers"):
        for ts in (row.start_ts, row.ready_ts):
            if ts is not None:
                clocks[row.controller_id].add(ts.strftime("%H:%M:%S.%f")[:12])
    for _, text in sentences(result):
        for found in re.finditer(r"[Uu]ntil node (\d+) took over at (\d\d:\d\d:\d\d\.\d{3})", text):
            if found[2] not in clocks[int(found[1])]:
                yield found[0], f"controllers: {sorted(clocks[int(found[1])])}"


@check
def durations_of_faults_are_those_of_their_bounds(result: Result) -> Found:
    """A freeze lasts as long as its bounds say."""
    titles = {row.finding_id: row.title for row in result.rows("findings")}
    for fault in result.rows("faults"):
        found = re.search(r"froze for (.+)$", titles.get(fault.fault_id) or "")
        if found is None or None in (fault.began_high, fault.ended_low, fault.began_low, fault.ended_high):
            continue
        low = max(round((fault.ended_low - fault.began_high).total_seconds() * 1000), 0)
        high = max(round((fault.ended_high - fault.began_low).total_seconds() * 1000), 0)
        if not found[1].startswith(span(low, high)) and rounded_up(high) not in found[1]:
            yield titles[fault.fault_id], f"bounds: {span(low, high)}"


@check
def harm_of_a_fault_is_what_follows_from_it(result: Result) -> Found:
    """A finding counts no more changes of leader and shrunk ISRs than follow from its fault or belong to its incident."""
    counted: Counter[tuple[str | None, str]] = Counter((v.incident_id, v.kind) for v in result.rows("vertices"))
    for row in result.rows("findings"):
        for words, kinds in (
            (r"leadership changed ([\d,]+) times", ("election", "unclean_election")),
            (r"([\d,]+) ISRs? shrank", ("isr_shrink",)),
            (r"([\d,]+) partitions? had no leader for a while", ("leaderless",)),
        ):
            most = sum(counted[row.incident_id, kind] for kind in kinds)
            for found in re.finditer(words, row.summary or "", re.IGNORECASE):
                if (_number(found[1]) or 0) > most:
                    yield f"{row.title}: {found[0]}", f"{most} in the incident"


@check
def sessions_and_controllers_read_as_their_rows(result: Result) -> Found:
    """The tables of sessions and controllers show as open what is open."""
    for grid in result.grids:
        if grid.caption == "Broker sessions" and grid.count == len(grid.rows):
            shown = Counter((row[0], "still open" in row) for row in grid.rows)
            own = Counter(
                (f"broker {s.broker_id}", s.end_ts is None and s.seen_ts is None)
                for s in result.rows("broker_sessions")
            )
            for key in shown - own:
                yield f"{key[0]} {'still open' if key[1] else 'ended'}", "broker_sessions"


def tile(result: Result, label: str) -> list[str]:
    """The values of the tiles of this label on the page, in their order."""
    texts = [p.text for p in result.printed if p.surface == PAGE]
    return [texts[at + 1] for at, text in enumerate(texts[:-1]) if text == label or text.startswith(f"{label} ")]


@check
def tiles_have_the_figures_of_their_incidents(result: Result) -> Found:
    """A tile of counts shows a figure of one of the incidents."""
    of: dict[str, set[Any]] = {
        "Leader changes proven by lines": {row.elections for row in result.rows("incidents")},
        "Unclean elections proven by lines": {row.unclean_elections for row in result.rows("incidents")},
        "Partitions affected proven by lines": {row.partitions_affected for row in result.rows("incidents")},
        "Moved to preferred leaders proven by lines": {row.preferred_elections for row in result.rows("incidents")},
    }
    texts = [p.text for p in result.printed if p.surface == PAGE]
    for at, text in enumerate(texts[:-1]):
        if text in of and re.fullmatch(r"[\d,]+", texts[at + 1]) and _number(texts[at + 1]) not in of[text]:
            yield f"{text}: {texts[at + 1]}", f"incidents: {sorted(of[text])}"


_OF_SUMS = {
    "Writes blocked, acks=all": "blocked_all",
    "Writes blocked, acks=1": "blocked_one",
    "No leader in the metadata": "leaderless",
    "Below min.insync.replicas": "under_min_isr",
    "Only one in-sync replica": "single_copy",
    "Exactly at min.insync.replicas": "at_min_isr",
}
_HAS_NO_UPPER_BOUND = re.compile(r"^(at least |not known|unknown)|or more$")


@check
def a_sum_with_an_open_bound_is_at_least(result: Result) -> Found:
    """A tile of a sum has an upper bound in no more incidents than have this sum with both bounds of all its times."""
    for label, name in _OF_SUMS.items():
        closed = [row for row in result.rows("incidents") if name not in {*(row.undated or ()), *(row.unended or ())}]
        bounded = [text for text in tile(result, label) if not _HAS_NO_UPPER_BOUND.search(text)]
        if len(bounded) > len(closed):
            yield f"{label}: {', '.join(bounded)}", f"incidents: {name} is `undated` or `unended` in all others"


@check
def incidents_are_counted_once(result: Result) -> Found:
    """ "4 incidents" is the number of incidents."""
    for one in result.printed:
        found = re.match(r"^(\d+) incidents\. ", one.text)
        if found and int(found[1]) != len(result.rows("incidents")):
            yield one.text, f"{len(result.rows('incidents'))} incidents"


@check
def single_partitions_wait_no_longer_than_their_topic(result: Result) -> Found:
    """The groups of partitions of a wait are all that surely waited, and none waited longer than some partition of the topic did."""
    for row in result.rows("incidents"):
        for one in row.down or ():
            for what in ("acks_all", "acks_one", "reads"):
                groups = one[f"{what}_alike"] or ()
                counted, sure = sum(group["partitions"] for group in groups), one[f"{what}_partitions"]
                name = f"{row.incident_id}: {one['topic']} {what}"
                if groups and counted != sure:
                    yield f"{name}: {counted} partitions", f"{sure} surely waited"
                for group in groups:
                    if group["high_ms"] > one[f"{what}_high_ms"] or group["low_ms"] > one[f"{what}_low_ms"]:
                        yield f"{name}: {group}", f"the topic at most {one[f'{what}_high_ms']} ms"


_STATES = (
    "below_min_isr",
    "leader_deposed",
    "leader_cut_off",
    "acked_possible",
    "waiting_for_isr",
    "waiting_for_dropped",
    "waiting_for_next",
)
_RAW = frozenset(
    name
    for name in (
        *KINDS,
        *CLIENT_KINDS,
        *HOST_KINDS,
        *DECLARED,
        *BY_NAME,
        "any_replica",
        "last_known_leader",
        "isr_change",
        *_STATES,
    )
    if "_" in name
)
_VERDICT = re.compile(r"\b[A-Z]+_LOSS: ")
_QUOTED = re.compile(r"`[^`]*`")
_WORD = re.compile(r"(?<![\w./=-])[a-z]+(?:_[a-z0-9]+)+(?![\w./=-])")


@check
def no_code_of_a_table_stands_in_a_sentence(result: Result) -> Found:
    for text, _ in _told(result):
        found = _VERDICT.search(text)
        if found:
            yield text, f"{found[0]} is a value of a table"


@check
def no_kind_of_a_line_stands_in_a_sentence(result: Result) -> Found:
    """Kinds of lines and of faults, tables and their values are names of this program: a sentence says them in words, or marks
    them as code.
    """
    for text, code in _told(result):
        for word in _WORD.findall(text):
            if word in _RAW and not any(word in one for one in code):
                yield text, f"{word} is a name of this program"


def _told(result: Result) -> Iterator[tuple[str, Sequence[str]]]:
    """What is printed, without what stands in backticks, and what of it is code."""
    texts = [*((one.text, one.code) for one in result.printed), *((mark.hover, ()) for mark in result.marks)]
    return ((_QUOTED.sub("", text), code) for text, code in texts)
