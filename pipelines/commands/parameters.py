"""Options that several commands share, and the types of their values: `2=PATH`, `0,3,7`, `90s`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial, wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipelines.commands import names

if TYPE_CHECKING:
    from click import ParamType
else:

    class ParamType(click.ParamType):
        """Click's own type, which declares its result only since 8.4."""

        def __class_getitem__(cls, becomes: object) -> type:
            return cls


def _is_int(number: str) -> bool:
    """Whether a text is the number of a node or a partition: Kafka's are of 32 bits."""
    digits = number.strip()
    return digits.isdecimal() and len(digits) <= _LONGEST and int(digits) < 1 << 31


_LONGEST = 10  # digits of a number of 32 bits


class NodePath(ParamType[tuple[int, Path]]):
    """`2=PATH`: node 2 wrote the files under PATH."""

    name = "N=PATH"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, Path]:
        node, equals, path = value.partition("=")
        if not equals or not _is_int(node) or not path:
            self.fail(f"{value!r} is not of the form 2=PATH", param, ctx)
        return int(node), Path(path)


class Numbers(ParamType[tuple[int, ...]]):
    """`0,3,7`"""

    name = "N,N"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        if not all(map(_is_int, str(value).split(","))):
            self.fail(f"{value!r} is not of the form 0,3,7", param, ctx)
        return tuple(int(part) for part in str(value).split(","))


class NodeZone(ParamType[tuple[int, str]]):
    """`2=+09:00`: the zone of node 2's timestamps."""

    name = "N=ZONE"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, str]:
        node, equals, zone = value.partition("=")
        if not equals or not _is_int(node) or not zone:
            self.fail(f"{value!r} is not of the form 2=+09:00", param, ctx)
        return int(node), zone


class Setting(ParamType[tuple[str, str]]):
    """`min.insync.replicas=2`"""

    name = "NAME=VALUE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, equals, given = str(value).partition("=")
        if not equals or not name.strip() or not given.strip():
            self.fail(f"{value!r} is not of the form min.insync.replicas=2", param, ctx)
        return name.strip(), given.strip()


class Seconds(ParamType[float]):
    """`90`, `90s`, `15m`, `3h`: a duration, in seconds."""

    name = "TIME"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, (int, float)):
            return float(value)
        typed = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", str(value).strip().lower())
        if typed is None or float(typed[1]) == 0:
            self.fail(f"{value!r} is not a time like 90, 90s, 15m or 3h", param, ctx)
        seconds = float(typed[1]) * {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}[typed[2]]
        if seconds > _LONGEST_SECONDS:
            self.fail(f"{str(value)[:20]!r} is too long: give at most {_LONGEST_SECONDS // 86_400:,}d", param, ctx)
        return seconds


_LONGEST_SECONDS = 10_000 * 86_400  # of a duration that somebody can mean


class Names(ParamType[tuple[str, ...]]):
    """`orders,clicks`"""

    name = "NAME,NAME"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(part.strip() for part in str(value).split(",") if part.strip())


def _joined(context: click.Context, parameter: click.Parameter, values: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """The values of a repeated option, each a list, as one tuple."""
    return tuple(chain.from_iterable(values))


def several(*flags: str, of: ParamType[Any], help: str, **attributes: Any) -> Callable[..., Any]:
    """An option that takes several values, repeated or separated by commas."""
    return click.option(
        *flags, type=of, multiple=True, callback=_joined, help=f"{help} Repeat it or use commas.", **attributes
    )


topics = several("--topic", "topics", of=Names(), help="Only these topics.", shell_complete=names.topics)
tz = click.option("--tz", help="Zone of the times, in and out: local, Europe/Berlin, +09:00 (default: UTC).")
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
at = partial(click.option, "--at", metavar="TIME")
since = partial(click.option, "--since", metavar="TIME")
until = partial(click.option, "--until", metavar="TIME")


_HOW_LOGS_ARE_READ = (
    click.option(
        "--node",
        "nodes",
        multiple=True,
        type=NodePath(),
        help="State which node wrote the files under a path; may be repeated.",
    ),
    click.option("--layout", help="The log4j pattern of your logs, if no known layout matches: '%d %p %m (%c)%n'."),
    click.option(
        "--timezone",
        help="Time zone of timestamps without one: +09:00 or Europe/Berlin (default: derived from the lines).",
    ),
    click.option(
        "--node-timezone",
        "node_timezones",
        multiple=True,
        type=NodeZone(),
        help="Time zone of one node's stamps; may be repeated.",
    ),
)


def packs(command: Callable[..., None]) -> Callable[..., None]:
    """The option for packs of the user: the command runs with them."""

    @click.option(
        "--pack",
        "pack_files",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Also explain lines by this pack of your own (docs/packs.md); may be repeated.",
    )
    @wraps(command)
    def with_packs(*args: Any, pack_files: tuple[Path, ...], **options: Any) -> None:
        from pipelines.pack_texts import with_files

        with with_files(pack_files):
            command(*args, **options)

    return with_packs


def of_logs(command: Callable[..., None]) -> Callable[..., None]:
    """The options for reading logs."""
    for option in reversed(_HOW_LOGS_ARE_READ):
        command = option(command)
    return command
