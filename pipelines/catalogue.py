"""The catalog of recognized messages as text: the templates, the meaning of one line, and wordings without a template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from pipelines.answers.next_steps import next_of_kind
from pipelines.answers.quoted import Quoted
from pipelines.scratch import work_folder
from replay.catalogue import TEMPLATES, explain
from replay.catalogue.drafts import draft
from replay.catalogue.fields import COLUMNS
from replay.catalogue.kinds import KINDS, phrase_of
from replay.catalogue.recorded import recorded_in
from replay.catalogue.template import Template, simple_name
from replay.catalogue.template_files import row_of
from replay.facts.groups import by_key
from replay.facts.times import greatest, least
from replay.reading.heads import head_of
from replay.reading.host_logs import host_line_template
from replay.reading.layouts import detect
from replay.reading.secrets import hidden_text
from replay.tables.reading import UnmatchedWording


def listed(templates: Iterable[Template] = TEMPLATES) -> Iterator[str]:
    """A line for each template: id, kind, level, logger, the releases in which it was seen, whether its example was
    recorded or constructed, and its text; then the share of recorded examples.
    """
    made = template_rows(templates)
    rows = [("id", "kind", "level", "logger", "seen in", "example", "text"), *(tuple(row.values()) for row in made)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for row in rows:
        yield "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
    yield _share(sum(row["example"] == "recorded" for row in made), len(made))


def template_rows(templates: Iterable[Template] = TEMPLATES) -> list[dict[str, str]]:
    """Each template in short: `id`, `kind`, `level`, `logger`, the releases of `seen_in`, whether its `example` was
    `recorded` or `made`, and `text`.
    """
    recorded = recorded_in()
    return [
        {
            "id": t.id,
            "kind": t.kind,
            "level": t.level,
            "logger": t.logger,
            "seen_in": ", ".join(t.seen.split()),
            "example": "recorded" if t.id in recorded else "made",
            "text": _on_one_line(t.text),
        }
        for t in templates
    ]


def _on_one_line(text: str) -> str:
    return text.replace("\n", "\\n").replace("\t", "\\t")


def _share(recorded: int, of: int) -> str:
    return (
        f"{recorded:,} of {of:,} examples were recorded ({100 * recorded / max(1, of):.0f} %): a log contains them "
        "word for word. The others were made from the wording, or their recording is not kept."
    )


def explained(line: str) -> Iterator[str]:
    """The meaning of a log line, in any known layout, or of a bare message: its template, the meaning of its kind,
    and its fields with their types.

    For a message without a template, a draft of one.
    """
    message, logger = _read(hidden_text(line.rstrip("\r\n")))
    found = explain(message, logger)
    of_host = host_line_template(line.rstrip("\r\n")) if found is None else None
    if of_host is not None:
        yield from _of_host(*of_host)
        return
    if found is None:
        yield f"No template knows this message{f' of {logger}' if logger else ''}."
        yield "A template for it could begin as"
        yield ""
        yield from map(Quoted, _drafted(message, logger, "INFO"))
        return
    template, fields = found
    yield f"{template.id}  {template.kind}"
    yield f"means    {KINDS[template.kind]}"
    yield f"next     {next_of_kind(template.kind)}"
    yield f"text     {_on_one_line(template.text)}"
    yield f"logger   {template.logger}  {template.level}"
    yield f"seen in  Kafka {', '.join(template.seen.split())}"
    yield f"example  {_example_of(template)}"
    if fields:
        name_width, type_width = max(map(len, fields)), max(len(_type_of(name)) for name in fields)
        yield "fields"
        for name, value in fields.items():
            yield Quoted(f"  {name:<{name_width}}  {_type_of(name):<{type_width}}  {value}")


def _of_host(template: Template, fields: Mapping[str, str]) -> Iterator[str]:
    """The meaning of a line of the kernel, systemd or another program of a host."""
    yield f"{template.id}  {template.kind}"
    yield f"means    {phrase_of(template.kind)}"
    yield "next     give the file to `kafka-replay analyze` with Kafka's logs: it shows which node this ended, silenced or cut off"
    yield f"text     {template.text}"
    yield f"written by {template.logger.replace('|', ', ')}"
    yield from (Quoted(f"  {name}  {hidden_text(value)}") for name, value in fields.items())


def _example_of(template: Template) -> str:
    where = recorded_in().get(template.id)
    first_line = template.example.split("\n")[0].rstrip()
    return f"{first_line} ({'made from the wording, or its recording is not kept' if where is None else f'recorded: {where}'})"


def explained_each(lines: Iterable[str]) -> Iterator[str]:
    """The meaning of each nonblank line (`explained`), below the line itself."""
    for n, line in enumerate(line for line in lines if line.strip()):
        if n:
            yield ""
        yield Quoted(f"> {line.rstrip()[:300]}")
        yield from explained(line)


def unmatched(
    inputs: Sequence[str],
    *,
    layout: str | None = None,
    graphframes: str | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> Iterator[str]:
    """The message wordings under `inputs` that match no template, each as the draft of a template; then how many
    there are.

    The files may be from several clusters, because the command relates no line to another. Raises InputError or
    SetupError for problems that the user can fix.
    """
    from pyspark.sql import functions as F

    from pipelines.reading import gathered, records_of
    from pipelines.store import Store
    from replay.reading import counts
    from replay.reading.witnesses import WITNESS_LAYOUTS

    with work_folder() as work:
        spark, found = gathered(inputs, work, layout=layout, graphframes=graphframes, on_step=on_step)
        if all(source.is_witness for source in found.to_read()):
            yield "No logs among the inputs, only other files."
            return
        read = records_of(spark, found, work).where(~F.col("layout").isin(*WITNESS_LAYOUTS))
        store = Store(spark, work / "result", work / "between")
        store.set_down("read", read.where(F.col("kind").isNull()).select(*counts.COLUMNS))
        counted = counts.Counts()
        for batch in store.batches("read"):
            counted.add(batch)
        yield from _ranked(counted.unmatched())


def _ranked(rows: Sequence[UnmatchedWording]) -> Iterator[str]:
    """The drafts, those of Kafka's loggers first and then the most frequent ones, and a total."""
    wordings = by_key(rows, lambda row: (draft(row.example), row.logger, row.level, row.foreign))
    ranked = sorted(wordings.items(), key=lambda item: (item[0][3], -sum(row.count for row in item[1]), item[0][0]))
    for (_, logger, level, foreign), same in ranked:
        first, last = least(*[row.first_ts for row in same]), greatest(*[row.last_ts for row in same])
        when = f", {_printed(first)} to {_printed(last)} as printed" if first and last else ""
        count, owner = sum(row.count for row in same), ", not of Kafka itself" if foreign else ""
        yield f"# {count:,} times{when}; {logger or 'no logger'}{owner}"
        yield from _drafted(same[0].example, logger, level)
        yield ""
    kafka = [same for (_, _, _, foreign), same in ranked if not foreign]
    yield (
        f"{len(ranked):,} wordings that no template knows, {sum(row.count for row in rows):,} records; "
        f"of Kafka's own loggers {len(kafka):,} wordings, "
        f"{sum(row.count for same in kafka for row in same):,} records."
    )


def _printed(ts: datetime) -> str:
    return f"{ts:%Y-%m-%d %H:%M:%S}.{ts.microsecond // 1_000:03d}"


def _drafted(message: str, logger: str | None, level: str | None) -> Iterator[str]:
    """The draft of a template's row (`replay/catalogue/templates`); a person must choose its id, kind and releases."""
    first_line = message.split("\n")[0].rstrip()
    of = simple_name(logger) if logger else "…"
    yield row_of(Template("…", "…", level or "INFO", of, "…", draft(first_line), first_line))


def _type_of(name: str) -> str:
    return COLUMNS.get(name, "detail")


def _read(line: str) -> tuple[str, str | None]:
    """The message and the logger of a line; a line in no known layout is all message."""
    layout = detect([line])
    if layout is None:
        return line, None
    head = head_of(layout, line)
    return (layout.peeled(line), None) if head is None else (head.message, head.logger)
