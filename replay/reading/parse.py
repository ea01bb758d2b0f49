"""Files -> lines -> records -> understood events. No line is dropped: every record is matched or counted as unmatched.

A record begins at a line that its file's layout fits; the lines after it (a stack trace, a dump) belong to it. Files
are read whole, so a line's number is its place in the file and no shuffle is needed to know it. The shipped layout is
cut at fixed places with plain string functions; the others by one regular expression a header.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from replay.catalogue import TEMPLATES, Template
from replay.reading.layouts import DEFAULT, JOINED, JOINED_JSON, LEVELS, MONTHS, STAMPED, Header, JsonHeader, Layout
from replay.reading.matching import with_template
from replay.reading.secrets import count_hidden, hidden
from replay.reading.wrappers import Wrapper
from replay.reading.writers import named_node
from replay.tables import COVERAGE, EVENTS, UNMATCHED

_FIELD = "\x01"
FILES = StructType([COVERAGE.schema[name] for name in ("source_file", "node_id", "layout")])
_FIELDS = ("stamp", "zone", "level", "logger", "thread", "message")

# The settings that a verdict may rest on (facts §1.2, §1.3, §1.6, §1.7, §5).
SETTINGS = (
    "broker.heartbeat.interval.ms",
    "broker.session.timeout.ms",
    "controller.quorum.election.timeout.ms",
    "controller.quorum.fetch.timeout.ms",
    "inter.broker.protocol.version",
    "log.message.format.version",
    "auto.leader.rebalance.enable",
    "leader.imbalance.check.interval.seconds",
    "leader.imbalance.per.broker.percentage",
    "min.insync.replicas",
    "node.id",
    "broker.id",
    "process.roles",
    "replica.high.watermark.checkpoint.interval.ms",
    "replica.lag.time.max.ms",
    "replica.socket.timeout.ms",
    "unclean.leader.election.enable",
    "zookeeper.session.timeout.ms",
    "log.dir.failure.timeout.ms",
    "num.replica.fetchers",
    "default.replication.factor",
)


def lines(files: DataFrame, layouts: Iterable[Layout] = ()) -> DataFrame:
    """One row a line: `source_file, node_id, layout, as_of_ts, line_number, part, is_first, text`; blank lines are
    left out.

    `files` is `SOURCES` with a column `value`, the file's whole text. `text` is without what `layouts` wrap around a
    line. A line that holds several, because two records ran into one or a JSON member holds line ends, is a row for
    each `part`, from 0.
    """
    numbered = files.select(
        "source_file",
        "node_id",
        "layout",
        "as_of_ts" if "as_of_ts" in files.columns else F.lit(None).cast("timestamp").alias("as_of_ts"),
        "first_line",
        F.posexplode(F.split("value", "\n")).alias("position", "text"),
    ).where(F.col("text") != "")
    layouts = tuple(layouts)
    said = numbered.withColumn(
        "text", _by_layout({layout: _peeled(layout.wrappers) for layout in layouts if layout.wrappers}, F.col("text"))
    )
    several = {layout: parts for layout in layouts if (parts := _parts(layout)) is not None}
    if several:
        every = _by_layout(several, F.array("text"))
        said = said.select(*[c for c in said.columns if c != "text"], F.posexplode(every).alias("part", "text")).where(
            F.col("text") != ""
        )
    return said.select(
        "source_file",
        "node_id",
        "layout",
        "as_of_ts",
        (F.col("position") + F.col("first_line")).alias("line_number"),
        (F.col("part") if several else F.lit(0)).alias("part"),
        (F.col("position") == 0).alias("is_first"),
        "text",
    )


def _by_layout(columns: dict[Layout, Column], otherwise: Column) -> Column:
    """The column that belongs to each row's layout."""
    return reduce(
        lambda rest, item: F.when(F.col("layout") == item[0].name, item[1]).otherwise(rest), columns.items(), otherwise
    )


def _peeled(wrappers: Sequence[Wrapper]) -> Column:
    """The line without `wrappers` (`Wrapper.peeled`)."""
    text = F.col("text")
    for wrapper in wrappers:
        if wrapper.members:
            inside = F.coalesce(*[_member(_members(text), name) for name in wrapper.members])
            text = F.when(F.startswith(text, F.lit("{")), F.coalesce(F.rtrim(inside, F.lit("\n")), text)).otherwise(
                text
            )
        elif wrapper.find:
            text = F.regexp_replace(text, wrapper.plain_find, wrapper.put)
            for old, new in wrapper.then:
                text = F.replace(text, F.lit(old), F.lit(new))
    return text


def _members(text: Column) -> Column:
    return F.from_json(text, "map<string,string>")


def _member(members: Column, name: str) -> Column:
    """A member of a JSON object: `a.b` is the name itself, or `b` within the object `a`."""
    outer, _, inner = name.partition(".")
    return F.coalesce(members[name], F.get_json_object(members[outer], f"$.{inner}")) if inner else members[name]


def _first_member(members: Column, names: Sequence[str]) -> Column:
    return F.coalesce(*[_member(members, name) for name in names])


def _parts(layout: Layout) -> Column | None:
    """The lines that one line of `layout` can hold; None where it holds but itself."""
    text = F.col("text")
    json = next((header for header in layout.headers if isinstance(header, JsonHeader)), None)
    if json is not None:

        def held(record: Column) -> Column:
            whole = _once(_members(record), lambda members: F.concat(F.array(record), *_continued(json, members)))
            return F.coalesce(whole, F.array(record))

        several = F.filter(F.flatten(F.transform(F.split(text, JOINED_JSON), held)), lambda said: said != "")
        every = several if layout.is_joined else held(text)
        return F.when(F.startswith(text, F.lit("{")), every).otherwise(F.array(text))
    return F.split(text, JOINED) if layout.is_joined else None


def _continued(json: JsonHeader, members: Column) -> list[Column]:
    """What else a JSON record says, as the lines that would stand under it in a text log: the rest of its message,
    and the throwable.
    """
    none = F.array().cast("array<string>")
    message = F.split(_first_member(members, json.message), "\n")
    thrown = F.concat_ws(": ", _first_member(members, json.exception), _first_member(members, json.exception_message))
    stack = F.split(_first_member(members, json.stack), "\n")
    return [F.coalesce(F.slice(message, 2, 1_000), none), F.coalesce(stack, F.array(thrown))]


def _once(value: Column, use: Callable[[Column], Column]) -> Column:
    """`use(value)`, with `value` evaluated once however often it is used."""
    return F.get(F.transform(F.array(value), use), F.lit(0))


def records(lines: DataFrame, layouts: Iterable[Layout]) -> DataFrame:
    """One row a record, from its first line: `source_file, node_id, layout, line_number, event_id, raw_ts,
    zone_known, level, logger, message, secrets_hidden`.

    Secrets in its message are hidden, and counted. In a file whose writer is not known, or has several, a record is
    of the node that it names, or its thread does, else of none. `raw_ts` is the stamp read as UTC; where the line
    prints the zone of its stamp, `zone_known` is true and `raw_ts` is the instant. Lines before a file's first record
    (its head was rotated away), and a line that begins with a stamp in no layout met in its file, make a record
    without level. Raises ValueError if there is no layout.
    """
    layouts = tuple(layouts)
    if not layouts:
        raise ValueError("no layouts")
    said = lines.select(
        "*",
        *[
            default.alias(name)
            for name, default in (("part", F.lit(0)), ("is_first", F.col("line_number") == 1))
            if name not in lines.columns
        ],
    )
    shipped = [layout for layout in layouts if layout.headers == (DEFAULT,)]
    others = [layout for layout in layouts if layout not in shipped]
    found = []
    if shipped:
        found.append(_shipped_records(said.where(F.col("layout").isin([layout.name for layout in shipped]))))
    if others:
        found.append(_other_records(said.where(F.col("layout").isin([layout.name for layout in others])), others))
    every = reduce(DataFrame.unionByName, found).withColumn("_shown", hidden(F.col("message")))
    return every.select(
        "source_file",
        F.coalesce("node_id", named_node(F.col("message"), F.col("thread"))).alias("node_id"),
        "layout",
        "line_number",
        event_id("part").alias("event_id"),
        "raw_ts",
        "zone_known",
        F.when(F.col("level") == "WARNING", "WARN").otherwise(F.col("level")).alias("level"),
        "logger",
        F.col("_shown").alias("message"),
        count_hidden(F.col("message"), F.col("_shown")).alias("secrets_hidden"),
    )


def _is_stray() -> Column:
    """A line that begins no record of its file's layout, but must not be taken for a part of the record before it."""
    text = F.col("text")
    return (F.col("is_first") & (F.col("part") == 0) & (F.trim(text) != "")) | (
        ~F.startswith(text, F.lit("\t")) & text.rlike(STAMPED)
    )


def _shipped_records(lines: DataFrame) -> DataFrame:
    """Records in the shipped layout `[yyyy-MM-dd HH:mm:ss,SSS] LEVEL message (logger)`, cut without a regular
    expression.
    """
    text = F.col("text")
    level = F.substring_index(F.substr(text, F.lit(27), F.lit(8)), " ", 1)
    begins = (
        F.startswith(text, F.lit("["))
        & (F.substr(text, F.lit(25), F.lit(2)) == "] ")
        & (F.substr(text, F.lit(21), F.lit(1)) == ",")
        & level.isin(*LEVELS)
    )
    keep = [column for column in lines.columns if column != "text"]
    cut = lines.where(begins | _is_stray()).select(
        *keep, "text", F.when(begins, level).alias("_level"), F.substring_index(text, " (", -1).alias("_tail")
    )
    tail = F.rtrim("_tail")
    ends_in_logger = F.endswith(tail, F.lit(")")) & ~F.contains(tail, F.lit(" "))
    # Bytes, not characters: their number is known without walking through the text.
    before = F.octet_length("_level") + 27
    after = F.octet_length(text) - before - F.when(ends_in_logger, F.octet_length("_tail") + 2).otherwise(0)
    message = F.substr(text.cast("binary"), before + 1, after).cast("string")
    stamp = F.overlay(F.substr(text, F.lit(2), F.lit(23)), F.lit("."), 20, 1)
    return cut.select(
        *keep,
        F.when(F.col("_level").isNotNull(), stamp.try_cast("timestamp")).alias("raw_ts"),
        F.lit(False).alias("zone_known"),
        F.col("_level").alias("level"),
        F.when(
            F.col("_level").isNotNull() & ends_in_logger, F.substring_index(F.substring_index("_tail", ")", 1), ":", 1)
        ).alias("logger"),
        F.when(F.col("_level").isNotNull(), F.ltrim(message)).otherwise(text).alias("message"),
        F.lit(None).cast("string").alias("thread"),
    )


def _other_records(lines: DataFrame, layouts: Sequence[Layout]) -> DataFrame:
    """Records of any other layout: stamp, zone, level, logger and message come out of a regular expression as one
    text.
    """
    text = F.col("text")
    begins = _by_layout({layout: _begins(layout) for layout in layouts}, F.lit(False))
    header = F.split(_by_layout({layout: _header(layout) for layout in layouts}, text), _FIELD, 7)
    field = {name: F.nullif(F.get("_header", F.lit(number)), F.lit("")) for number, name in enumerate(_FIELDS, start=1)}
    read = lines.where(begins | _is_stray()).withColumn("_header", header)
    fitted = F.size("_header") > 1
    instant = F.when(field["stamp"].rlike(r"^\d{9,}"), _epoch(field["stamp"]).cast("string")).otherwise(
        F.concat(field["stamp"], F.coalesce(field["zone"], F.lit("")))
    )
    return read.select(
        *[column for column in lines.columns if column != "text"],
        instant.try_cast("timestamp").alias("raw_ts"),
        F.coalesce(field["zone"].isNotNull() | field["stamp"].rlike(r"^\d{9,}"), F.lit(False)).alias("zone_known"),
        field["level"].alias("level"),
        field["logger"].alias("logger"),
        F.when(fitted, F.coalesce(field["message"], F.lit(""))).otherwise(text).alias("message"),
        field["thread"].alias("thread"),
    )


def _epoch(stamp: Column) -> Column:
    """Seconds or milliseconds since 1970 as a timestamp."""
    number = stamp.try_cast("decimal(30,9)")
    return F.timestamp_micros(
        (F.when(number >= 100_000_000_000, number / 1_000).otherwise(number) * 1_000_000).cast("bigint")
    )


def _begins(layout: Layout) -> Column:
    text = F.col("text")
    if layout.is_plain:
        return F.trim(text) != ""
    starts = [
        F.startswith(text, F.lit("{")) if isinstance(header, JsonHeader) else text.rlike(header.start)
        for header in layout.headers
    ]
    begins = reduce(Column.__or__, starts)
    if layout.is_joined:  # a record that another one ran into begins on the same line
        return begins
    return begins & (F.col("part") == 0) if any(isinstance(header, JsonHeader) for header in layout.headers) else begins


def _header(layout: Layout) -> Column:
    """Stamp, zone, level, logger, thread and message of a line that begins a record, each after a `_FIELD`; the line
    itself where no header fits.

    A line that one header has fitted begins with `_FIELD`, so that none of the next fits it.
    """
    if layout.is_plain:
        return F.concat(F.lit(_FIELD * len(_FIELDS)), F.col("text"))
    text = F.col("text")
    for header in layout.headers:
        if isinstance(header, JsonHeader):
            text = F.when(F.startswith(text, F.lit("{")), F.coalesce(_json_header(header, text), text)).otherwise(text)
    fields = "".join(f"{_FIELD}{{{name}}}" for name in _FIELDS)
    headers = [header for header in layout.headers if isinstance(header, Header)]
    for header, regex in [(header, header.whole) for header in headers] + [(header, header.cut) for header in headers]:
        text = F.regexp_replace(text, header.plain(regex), header.replacement(regex, fields))
        for old, new in header.then:
            text = F.replace(text, F.lit(old), F.lit(new))
    if any(header.names_months for header in headers):
        for number, month in enumerate(MONTHS, start=1):
            text = F.regexp_replace(text, rf"^(\x01\d{{4}})-{month}-", rf"$1-{number:02d}-")
    return text


def _json_header(json: JsonHeader, text: Column) -> Column:
    def told(members: Column) -> Column:
        stamp = _first_member(members, json.stamp)
        nanos = F.lpad(F.get_json_object(stamp, "$.nanoOfSecond"), 9, "0")
        stamp = F.coalesce(F.concat(F.get_json_object(stamp, "$.epochSecond"), F.lit("."), nanos), stamp)
        zone = r"(Z|[+-]\d\d:?\d\d)$"
        parts = [
            F.replace(F.regexp_replace(stamp, zone, ""), F.lit(","), F.lit(".")),
            F.regexp_extract(stamp, zone, 1),
            F.upper(_first_member(members, json.level)),
            _first_member(members, json.logger),
            _first_member(members, json.thread),
            F.substring_index(_first_member(members, json.message), "\n", 1),
        ]
        return F.concat_ws(_FIELD, F.lit(""), *[F.coalesce(part, F.lit("")) for part in parts])

    return _once(
        _members(text), lambda members: F.when(_first_member(members, json.message).isNotNull(), told(members))
    )


def matched(records: DataFrame, templates: tuple[Template, ...] = TEMPLATES) -> DataFrame:
    """`records` with the columns of `EVENTS` that a template fills; `kind` is null where none fits."""
    found = with_template(records, templates)
    return found.withColumns(
        ({} if "event_id" in records.columns else {"event_id": event_id()}) | {"ts": F.col("raw_ts")}
    )


_THROWN = r"^(?:[a-z_][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error)(?::|$|\s)"
_CAUSED_BY = "Caused by: "
# What stands in a stack trace, indented or not: pastes lose the tab.
_STACK = r"^\s*(?:at [\w$.<>/@~-]+\(|\.\.\. \d+ (?:more|common)|Suppressed: |\[CIRCULAR )"
# Windows' error 32, as `FileSystemException` prints it in the system's language after the file's name: another
# process, or this one, has the file open or mapped.
_LOCKED_BY_WINDOWS = (
    r"FileSystemException: (?:[A-Za-z]:)?[^:]*\\.*: (?:The process cannot access the file because (?:it is being used by another process|another process has locked)"
    r"|Der Prozess kann nicht auf die Datei zugreifen|Le processus ne peut pas acc.{1,2}der au fichier"
    r"|El proceso no (?:puede obtener acceso|tiene acceso) al archivo|O processo n.{1,2}o pode (?:acessar|aceder ao) |Impossibile accedere al file)"
)


def with_exceptions(matched: DataFrame, lines: DataFrame) -> DataFrame:
    """`matched` with what the stack trace right under a record tells, as details, secrets hidden.

    `exception` is its first line, `caused_by` its innermost cause where it has one, and `file_locked` the file that
    Windows would not move or delete because it is open.
    """
    part = F.col("part") if "part" in lines.columns else F.lit(0)
    text = F.substr("text", F.lit(1), F.lit(1_000))
    told = lines.where(
        F.col("text").rlike(_THROWN) | F.startswith("text", F.lit(_CAUSED_BY)) | F.col("text").rlike(_STACK)
    )
    in_file = Window.partitionBy("source_file").orderBy("line_number", "part")
    # Lines of one trace follow one another; those that a JSON record holds stand on one line.
    blocks = told.select(
        "source_file",
        "line_number",
        part.alias("part"),
        F.when(F.col("text").rlike(_THROWN), text).alias("_thrown"),
        F.when(F.startswith("text", F.lit(_CAUSED_BY)), F.substr(text, F.lit(len(_CAUSED_BY) + 1))).alias("_cause"),
    ).withColumn(
        "_block",
        F.when(F.col("part") > 0, F.struct(F.col("line_number").alias("at"), F.lit(True).alias("inside"))).otherwise(
            F.struct((F.col("line_number") - F.row_number().over(in_file)).alias("at"), F.lit(False).alias("inside"))
        ),
    )
    place = F.struct("line_number", "part")
    thrown = (
        blocks.groupBy("source_file", "_block")
        .agg(
            F.min("line_number").alias("_first"),
            F.min_by("_thrown", place).alias("_thrown"),
            F.max_by("_cause", F.when(F.col("_cause").isNotNull(), place)).alias("_cause"),
        )
        .select(
            "source_file",
            F.when(F.col("_block.inside"), F.col("_first")).otherwise(F.col("_first") - 1).alias("line_number"),
            "_thrown",
            "_cause",
        )
        .groupBy("source_file", "line_number")
        .agg(F.first("_thrown").alias("_thrown"), F.first("_cause").alias("_cause"))
    )
    shown = {"_thrown": hidden(F.col("_said")), "_cause": hidden(F.col("_said_cause"))}
    thrown = thrown.withColumnsRenamed({"_thrown": "_said", "_cause": "_said_cause"}).withColumns(shown)
    secrets = F.coalesce("secrets_hidden", F.lit(0)) if "secrets_hidden" in matched.columns else F.lit(0)
    innermost = F.coalesce("_cause", "_thrown")
    found = {
        "exception": F.col("_thrown"),
        "caused_by": F.col("_cause"),
        "file_locked": F.when(
            innermost.rlike(_LOCKED_BY_WINDOWS),
            F.regexp_extract(innermost, r"Exception: (.*?)(?: -> .*)?: [^:\\]*$", 1),
        ),
    }
    names = F.array(*[F.lit(name) for name in found])
    own = F.map_filter(F.map_from_arrays(names, F.array(*found.values())), lambda _, value: value.isNotNull())
    rest = F.coalesce(
        F.map_filter("details", lambda name, _: ~F.map_contains_key(own, name)),
        F.expr("cast(map() as map<string,string>)"),
    )
    return (
        matched.join(thrown, ["source_file", "line_number"], "left")
        .withColumns(
            {
                "details": F.when(innermost.isNotNull(), F.map_concat(rest, own)).otherwise(F.col("details")),
                "secrets_hidden": secrets
                + F.coalesce(count_hidden(F.col("_said"), F.col("_thrown")), F.lit(0))
                + F.coalesce(count_hidden(F.col("_said_cause"), F.col("_cause")), F.lit(0)),
            }
        )
        .drop("_thrown", "_cause", "_said", "_said_cause")
    )


def setting_lines(lines: DataFrame) -> DataFrame:
    """The lines of `... values:` dumps, for the names in `SETTINGS`: `source_file, line_number, name, value`."""
    entry = r"^\t([a-z][a-z0-9.]+) = (.*?)\s*$"
    name = F.regexp_extract("text", entry, 1)
    return lines.where(F.startswith("text", F.lit("\t")) & name.isin(*SETTINGS)).select(
        "source_file",
        "line_number",
        name.alias("name"),
        F.nullif(F.regexp_extract("text", entry, 2), F.lit("null")).alias("value"),
    )


def settings(told: DataFrame, events: DataFrame) -> DataFrame:
    """What each node says of its configuration at a start: `node_id, ts, name, value, event_id`, for the names in
    `SETTINGS`.

    `told` are `setting_lines`: those of a dump belong to the record before them. Those of a properties file have no
    time.
    """
    dumps = events.where(F.col("kind") == "config_dump").select(
        "source_file", "line_number", "node_id", "ts", "event_id"
    )
    in_file = (
        Window.partitionBy("source_file")
        .orderBy("line_number", F.col("event_id").asc_nulls_last())
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    both = told.unionByName(dumps, allowMissingColumns=True).withColumns(
        {column: F.last(column, ignorenulls=True).over(in_file) for column in ("node_id", "ts", "event_id")}
    )
    dumped = both.where(F.col("name").isNotNull() & F.col("event_id").isNotNull()).select(
        "node_id", "ts", "name", "value", "event_id"
    )
    in_files = events.where((F.col("kind") == "server_setting") & F.col("details")["name"].isin(*SETTINGS)).select(
        "node_id", "ts", F.col("details")["name"].alias("name"), F.col("details")["value"].alias("value"), "event_id"
    )
    return dumped.unionByName(in_files)


def event_id(part: str | None = None) -> Column:
    """The name of an event: the file and the line where it stands, and which of several records on that line it is."""
    line = F.concat_ws(":", "source_file", "line_number")
    return line if part is None else F.when(F.col(part) > 0, F.concat_ws(".", line, F.col(part) + 1)).otherwise(line)


def events(matched: DataFrame) -> DataFrame:
    """The records that a template knows. Returns `EVENTS`."""
    return EVENTS.of(matched.where(F.col("kind").isNotNull()))


def is_foreign() -> Column:
    """The logger is not one of Kafka's. A record without a logger is taken as Kafka's, and so is a class without its
    package unless ZooKeeper prints it.
    """
    logger = F.col("logger")
    # `logger` is what `%c{1}` leaves of state.change.logger and its like.
    packaged = F.contains(logger, F.lit(".")) & ~logger.rlike(
        r"^(?:kafka|k|org\.apache\.kafka|o\.a\.k|o\.a\.kafka|o\.apache\.kafka)\.|^state\.change\.logger$"
    )
    bare = ~F.contains(logger, F.lit(".")) & (
        F.contains("layout", F.lit("zookeeper")) | logger.rlike("^(?!logger$)[a-z]")
    )
    return F.coalesce(packaged | bare, F.lit(False))


def coverage(matched: DataFrame, found: DataFrame) -> DataFrame:
    """What each file held. Returns `COVERAGE`, with a row for every file of `found` (`source_file, node_id, layout`),
    records or not.
    """
    known = F.col("kind").isNotNull()
    hidden = F.col("secrets_hidden") if "secrets_hidden" in matched.columns else F.lit(0)
    counts = {
        "log_records": F.count("*"),
        "matched": F.count_if(known),
        "unmatched": F.count_if(~known),
        "foreign": F.count_if(~known & is_foreign()),
        "secrets_hidden": F.coalesce(F.sum(hidden), F.lit(0)),
    }
    held = matched.groupBy("source_file", "node_id", "layout").agg(
        *[count.alias(name) for name, count in counts.items()],
        F.min("ts").alias("first_ts"),
        F.max("ts").alias("last_ts"),
        F.lit(True).alias("_held"),
    )
    silent = found.withColumns(dict.fromkeys(counts, F.lit(0)) | {"_held": F.lit(False)})
    every = held.unionByName(silent, allowMissingColumns=True)
    is_held = F.max("_held").over(Window.partitionBy("source_file"))
    return COVERAGE.of(every.withColumn("_is_held", is_held).where(F.col("_held") == F.col("_is_held")))


def unmatched(matched: DataFrame) -> DataFrame:
    """The wordings that no template knows, most frequent first to read. Returns `UNMATCHED`."""
    normalized = F.regexp_replace(
        F.regexp_replace(
            F.regexp_replace("message", r"\[[^\[\]]*\]|\([^()]*\)|'[^']*'", "<…>"), r"[A-Za-z0-9._-]+-\d+", "<…>"
        ),
        r"\d+",
        "<n>",
    )
    return UNMATCHED.of(
        matched.where(F.col("kind").isNull())
        .withColumns({"normalized": F.substr(normalized, F.lit(1), F.lit(300)), "foreign": is_foreign()})
        .groupBy("normalized", "logger", "level", "foreign")
        .agg(
            F.count("*").alias("count"),
            F.min("ts").alias("first_ts"),
            F.max("ts").alias("last_ts"),
            F.min_by("message", F.struct("source_file", "line_number")).alias("example"),
            F.array(F.min_by(event_id(), F.struct("source_file", "line_number"))).alias("evidence"),
        )
    )
