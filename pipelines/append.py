"""`append`: adds later files to a finished result, without its old text.

The run joins the records that the result keeps with those of the new files, and computes everything again: the clocks
of all nodes, every table, the page. The result also keeps what was found in each old file, so that all files are
checked together, as in one run over them. If one run would have read an old file differently, and would need its text,
`append` refuses.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.followed_files import News
from pipelines.found_files import Earlier, Inputs, Source, Taken, Text, checked, log_of
from pipelines.incident import Zones
from pipelines.inputs import names_of, taken
from pipelines.kept_records import TOGETHER, Kept, kept
from pipelines.main_job import Job, Outcome, format_of, made
from pipelines.store import put_back
from replay.errors import InputError
from replay.facts.window import TimeWindow
from replay.reading.witnesses import GROWING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OF_NO_FOLDER = re.compile(r"/|\d+ files$")  # the subject of a note that is not about a file under the given path
_NAMED_BY_THEIR_FOLDER = ("leader-epoch-checkpoint", "partition.metadata")


def append(
    out: Path,
    inputs: Sequence[str],
    *,
    nodes: Mapping[int, Path] | None = None,
    layout: str | None = None,
    timezone: str | None = None,
    node_timezones: Mapping[int, str] | None = None,
    graphframes: str | None = None,
    shared: Path | None = None,
    spark: SparkSession | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    on_facts: Callable[[Sequence[str]], None] | None = None,
    news: News | None = None,
    seal: Callable[[Path], None] = lambda result: None,
) -> Outcome:
    """Add the files under `inputs` to the result `out`: the result that `analyze` makes of all files together replaces
    it.

    The options of the result, including its window, and the given ones must agree. A file that the result has is not
    counted twice; one that has grown replaces its earlier version. `news`: what was seen of the files while they were
    followed, instead of reading them now; `seal` is as in `made`. Raises InputError, OutputError or SetupError for
    problems that the user can fix; `out` is then unchanged.
    """
    put_back(out)
    before = kept(out)
    pattern, zones = _options(before, layout, Zones(timezone, dict(node_timezones or {})))

    def gather(paths: Sequence[str], nodes: Mapping[int, Path], work: Path, **options: Any) -> Inputs:
        found = taken(paths, nodes, work, earlier=before.taken, news=news, **options)
        return together(before, found, names_of(paths, nodes), reports_changes=news is None)

    found_in = gather if before.window.is_open else _in_window(gather, before.window, zones)
    job = Job(inputs, out, nodes, pattern, zones, before, format=format_of(out), shared=shared)
    return made(
        job, gather=found_in, graphframes=graphframes, spark=spark, on_step=on_step, on_facts=on_facts, seal=seal
    )


def _in_window(gather: Callable[..., Inputs], window: TimeWindow, zones: Zones) -> Callable[..., Inputs]:
    from pipelines.window import in_window  # pandas, which nothing else needs before Java starts

    return in_window(gather, window, zones)


def _options(before: Kept, layout: str | None, zones: Zones) -> tuple[str | None, Zones]:
    """The options of the result merged with the given ones. Raises InputError if they contradict each other."""
    if layout is not None and layout != before.layout:
        had = f"with --layout '{before.layout}'" if before.layout else "without --layout"
        raise InputError(f"{before.out}: was analyzed {had}; {TOGETHER}")
    if zones.all is not None and before.zones.all not in (None, zones.all):
        raise InputError(
            f"{before.out}: was analyzed with --timezone {before.zones.all}, not {zones.all}; leave it out, or {TOGETHER}"
        )
    for node, zone in zones.by_node.items():
        had = before.zones.by_node.get(node, zone)
        if had != zone:
            raise InputError(
                f"{before.out}: was analyzed with --node-timezone {node}={had}, not {zone}; leave it out, or {TOGETHER}"
            )
    return before.layout, Zones(zones.all or before.zones.all, {**before.zones.by_node, **zones.by_node})


def together(before: Kept, found: Taken, names: str, reports_changes: bool = True) -> Inputs:
    """The combined facts of the result's files and those of `found`, and what happened to the old ones.

    With `reports_changes`, files that were already there, or have grown, get a remark. Raises InputError if one run
    over all files would have read an old file differently, or would confuse two texts.
    """
    files = joined(before.taken, found, str(before.out))
    inputs = checked(files.taken, f"{before.out}, {names}")
    inputs.earlier = _earlier(before, files, inputs)
    inputs.remarks += files.remarks if reports_changes else []
    inputs.unlay(found.sources)
    return inputs


@dataclass
class Joined:
    """Old and new files together.

    `dropped`: the old files that new ones replace. `had_names`: the previous names of files that were renamed.
    `remarks`: notes about the files.
    """

    taken: Taken
    dropped: set[str] = field(default_factory=set)
    had_names: dict[str, str] = field(default_factory=dict)
    remarks: list[tuple[str, str]] = field(default_factory=list)


def joined(old: Taken, new: Taken, out: str) -> Joined:
    """The files of a result, found by `old`, and those of `new`, as one run over all of them would find them.

    A file that is already there is skipped. A log that begins with the whole text of an old one, and has its name or
    the name of one of its rotated files, replaces it: it has grown, or was rotated. A file of another kind that was
    written again also replaces its old version. Raises InputError for two texts with one name.
    """
    places = list(dict.fromkeys([*old.places, *new.places]))
    had_names: dict[str, str] = {}
    if len(old.places) == 1 and len(places) > 1 and old.prefix:
        _refuse_names_by_folder(old, out)
        before = [source.source_file for source in old.sources]
        prefix = old.prefix
        old = _renamed(old, lambda name: name if _OF_NO_FOLDER.match(name) else prefix + name)
        had_names = {source.source_file: name for source, name in zip(old.sources, before, strict=True)}
    by_place = {text.place: text.name for text in old.texts}
    same_place = {text.name: by_place[text.place] for text in new.texts if text.place in by_place}
    new = _renamed(new, lambda name: same_place.get(name, name))
    copies, replaced_by = _compared(old, new, out)
    remarks = [*_each(sorted(copies), "is in the result already: read once")]
    for name, text in replaced_by.items():
        is_same = text.name == name
        how = "has changed since the earlier result" if is_same else f"continues {name} of the earlier result"
        remarks.append((text.name, f"{how}: read again, replacing its earlier version"))
    return Joined(_sum(old, new, places, set(replaced_by), copies), set(replaced_by), had_names, remarks)


def _sum(old: Taken, new: Taken, places: list[str], dropped: set[str], copies: set[str]) -> Taken:
    """All files of `old` except `dropped`, and all files of `new` except `copies`."""
    kept_of_old, really_new = _without(old, dropped), _without(new, copies)
    given = {text.name for text in new.texts} | {name for name, _ in new.set_aside}
    aside = [(name, why) for name, why in kept_of_old.set_aside if name not in given]
    shared = {name: set(nodes) for name, nodes in kept_of_old.shared.items()}
    for name, nodes in really_new.shared.items():
        shared.setdefault(name, set()).update(nodes)
    return Taken(
        sources=kept_of_old.sources + really_new.sources,
        texts=kept_of_old.texts + really_new.texts,
        set_aside=aside + really_new.set_aside,
        remarks=list(dict.fromkeys(kept_of_old.remarks + really_new.remarks)),
        printed=kept_of_old.printed | really_new.printed,
        shared=shared,
        clusters=kept_of_old.clusters + really_new.clusters,
        proposals=new.proposals,
        places=places,
        prefix=new.prefix if len(places) == 1 else "",
        watch=new.watch,
    )


def _compared(old: Taken, new: Taken, out: str) -> tuple[set[str], dict[str, Text]]:
    """The new files that are already in the result, and the new file that replaces each old one.

    A log of the same size under another name counts as rotated only if its old name now belongs to another file or
    to none.
    """
    by_name: dict[str, list[Text]] = defaultdict(list)
    of_log: dict[tuple[str, str], list[Text]] = defaultdict(list)
    for text in old.texts:
        by_name[text.name].append(text)
    for text in new.texts:
        of_log[log_of(text.name)].append(text)
    times = Counter(text.name for text in new.texts)
    grows = {source.source_file for source in old.sources if not source.is_witness or source.layout in GROWING}
    copies = {text.name for text in new.texts if times[text.name] == 1 and text in by_name.get(text.name, ())}

    def goes_on(in_: Text) -> Iterator[Text]:
        for text in of_log[log_of(in_.name)]:
            is_longer = text.size > in_.size or (text.size == in_.size and text.name != in_.name)
            if text.name not in copies and is_longer and text.beginnings.get(in_.size) == in_.digest:
                yield text

    not_its_own = new.gone | {name for name, _ in new.set_aside}
    stands_for: dict[str, Text] = {}
    for text in new.texts:
        if text.name in copies or text.name not in by_name:
            continue
        had = by_name[text.name]
        on = next(goes_on(had[0]), None) if text.name in grows else text if text.place == had[0].place else None
        if len(had) > 1 or times[text.name] > 1 or on is None:
            raise InputError(
                f"{text.name}: {out} has another text with this name, which no given file continues; give it in a "
                f"folder with another name, with the file that it was rotated to, or {TOGETHER}"
            )
        stands_for[text.name] = on
    for text in old.texts:
        if text.name in grows and text.name not in times and len(by_name[text.name]) == 1:
            on = next((on for on in goes_on(text) if on.size > text.size or text.name in not_its_own), None)
            if on is not None:
                stands_for[text.name] = on
    return copies, stands_for


def _refuse_names_by_folder(old: Taken, out: str) -> None:
    """Raises InputError if a file of the result can be identified only by the name of the folder that was given."""
    for name in [text.name for text in old.texts] + [name for name, _ in old.set_aside]:
        if name in _NAMED_BY_THEIR_FOLDER:
            raise InputError(
                f"{out}: {name} is only distinguished by the name of its folder, which was not read; {TOGETHER}"
            )


def _earlier(before: Kept, files: Joined, inputs: Inputs) -> Earlier:
    """What happened to the kept records. Raises InputError if they may differ from the records that one run would
    read from the text.
    """
    now = {source.name: source for source in inputs.sources if source.is_earlier}
    read_as: dict[str, set[tuple[int | None, int | None]]] = defaultdict(set)
    for source in files.taken.sources:
        if not source.is_earlier:
            continue
        is_read, was_read = source.name in now, source.name in before.read_as
        if is_read != was_read:
            raise InputError(
                f"{source.source_file}: {before.out} keeps "
                + (
                    "no records of it, for it was a copy of another file"
                    if is_read
                    else "records of it that it must not"
                )
                + f"; {TOGETHER}"
            )
        if is_read:
            read_as[source.source_file].add((before.read_as[source.name], now[source.name].node_id))
    nodes: dict[str, int] = {}
    for name, pairs in read_as.items():
        if all(was == node for was, node in pairs):
            continue
        was, node = next(pair for pair in pairs if pair[0] != pair[1])
        if len(pairs) > 1 or node is None:
            raise InputError(
                f"{name}: with the new files it is of {_of_node(node)}, and was read as of {_of_node(was)}; {TOGETHER}"
            )
        nodes[files.had_names.get(name, name)] = node
    return Earlier(
        before.folder,
        frozenset(files.had_names.get(name, name) for name in files.dropped),
        {had: name for name, had in files.had_names.items()},
        nodes,
    )


def _of_node(node: int | None) -> str:
    return "several nodes, or an unknown one" if node is None else f"node {node}"


def _renamed(taken: Taken, named: Callable[[str], str]) -> Taken:
    def first(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        return [(named(name), text) for name, text in pairs]

    return replace(
        taken,
        sources=[replace(source, source_file=named(source.source_file)) for source in taken.sources],
        texts=[replace(text, name=named(text.name)) for text in taken.texts],
        set_aside=first(taken.set_aside),
        remarks=first(taken.remarks),
        printed={named(name): node for name, node in taken.printed.items()},
        shared={named(name): nodes for name, nodes in taken.shared.items()},
        clusters=[(named(name), cluster, node) for name, cluster, node in taken.clusters],
    )


def _without(taken: Taken, names: set[str]) -> Taken:
    def rest(source: Source | Text | tuple[Any, ...]) -> bool:
        name = source[0] if isinstance(source, tuple) else getattr(source, "source_file", getattr(source, "name", ""))
        return name not in names

    return replace(
        taken,
        sources=list(filter(rest, taken.sources)),
        texts=list(filter(rest, taken.texts)),
        set_aside=list(filter(rest, taken.set_aside)),
        remarks=list(filter(rest, taken.remarks)),
        printed={name: node for name, node in taken.printed.items() if name not in names},
        shared={name: nodes for name, nodes in taken.shared.items() if name not in names},
        clusters=list(filter(rest, taken.clusters)),
    )


def _each(names: Sequence[str], what: str) -> Iterator[tuple[str, str]]:
    """One line for each name if there are few names, one line for all of them if there are many."""
    if len(names) > 3:
        yield f"{len(names)} files", f"such as {names[0]}: each {what}"
    else:
        yield from ((name, what) for name in names)
