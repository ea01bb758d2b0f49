"""`kafka-replay watch`: analyzes growing logs again and again, and keeps the page up to date."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from pipelines.commands.parameters import Seconds, of_logs, packs
from pipelines.commands.questions import DEFAULT_OUT, Echo
from pipelines.terminal import json_line, plain_line, shown

if TYPE_CHECKING:
    from pipelines.watch import Ended, Look

_HOOK_SECONDS = 60


@click.command(short_help="Analyze growing logs again every minute and print what changed.")
@click.argument("inputs", nargs=-1, required=False)
@click.option(
    "--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, show_default=True, help="Folder for the result."
)
@click.option(
    "--every",
    type=Seconds(),
    default="60",
    show_default=True,
    help="Interval: 30, 90s, 5m. An analysis always finishes before the next one starts.",
)
@click.option("--for", "lasts", type=Seconds(), help="Stop after this time: 45m, 3h (default: with Ctrl-C).")
@click.option("--json", "as_json", is_flag=True, help="Print changes as one JSON object per line.")
@click.option(
    "--on-change",
    "command",
    metavar="CMD",
    help="Shell command to run for each change; it gets the change as JSON on standard input.",
)
@click.option("--open", "opens", is_flag=True, help="Open the report in the browser.")
@of_logs
@click.option("--graphframes", help="Maven coordinate or jar of GraphFrames' classes (default: as for `analyze`).")
@click.option("--quiet", is_flag=True, help="Print only what changed.")
@packs
@click.pass_obj
def watch(
    echo: Echo,
    /,
    inputs: tuple[str, ...],
    out: Path,
    every: float,
    lasts: float | None,
    as_json: bool,
    command: str | None,
    opens: bool,
    nodes: tuple[tuple[int, Path], ...],
    node_timezones: tuple[tuple[int, str], ...],
    quiet: bool,
    **options: str | None,
) -> None:
    """Analyze growing logs again every minute and print what changed.

    INPUTS are folders, files and pipes (- is standard input). The command also follows rotated and new files. The result
    in --out is complete at every moment, and its page reloads itself. An existing result is continued. Stop with Ctrl-C.

    \b
    Examples:
      kafka-replay watch /var/log/kafka --every 2m
      kubectl logs -f kafka-1 | kafka-replay watch - --on-change "notify-send kafka"
    """
    from pipelines.watch import Options
    from pipelines.watch import watch as run

    if not inputs and not nodes:
        raise click.UsageError("nothing to watch: name the folders, files or pipes that the logs come from")
    console = Console(stderr=True, highlight=False)
    printer = _Printer(echo, out / "report.html", as_json=as_json, command=command, opens=opens, quiet=quiet)
    with console.status("") as status:

        def on_step(step: str) -> None:
            if console.is_terminal:
                status.update(f"{step} …")

        ended = run(
            inputs,
            out,
            Options(dict(nodes), node_timezones=dict(node_timezones), **options),
            every=every,
            lasts=lasts,
            on_step=on_step,
            on_look=printer.print,
        )
    _print_end(ended, inputs, out, nodes)


@dataclass
class _Printer:
    """Prints the findings of each analysis, and runs the user's command for each change."""

    echo: Echo
    page: Path
    as_json: bool
    command: str | None
    opens: bool
    quiet: bool
    is_first: bool = True

    def print(self, look: Look) -> None:
        for name, why in look.unread.items():
            click.echo(f"kafka-replay: {shown(name)}: cannot be read: {why}", err=True)
        if look.fault is not None:
            click.echo(f"{_clock(look.as_of)}: not analyzed: {plain_line(look.fault)}", err=True)
            return
        if not self.quiet:
            click.echo(_summary(look), err=True)
        as_of = f"{look.as_of:%Y-%m-%dT%H:%M:%SZ}"
        changes = [(change, json_line({"as_of": as_of, **change.as_json()})) for change in look.changes]
        self.echo(line if self.as_json else f"{_clock(look.as_of)}  {change.told}" for change, line in changes)
        if self.command:
            for _, line in changes:
                _run(self.command, line)
        if self.is_first:
            self._show_page()
        self.is_first = False

    def _show_page(self) -> None:
        if not self.quiet:
            click.echo(f"Open {shown(str(self.page))}", err=True)
        if self.opens and click.launch(str(self.page)) != 0:
            click.echo("kafka-replay: no browser could be started here; open the report by hand", err=True)


def _summary(look: Look) -> str:
    from viz.phrases import counted

    what = counted(len(look.changes), "change") if look.changes else "nothing changed"
    return f"{_clock(look.as_of)}: {_bytes(look.size)} more, analyzed in {look.seconds:.0f} s: {what}"


def _print_end(ended: Ended, inputs: tuple[str, ...], out: Path, nodes: tuple[tuple[int, Path], ...]) -> None:
    if ended.as_of is None:
        click.echo("kafka-replay: the watch ended before it could analyze a line; nothing was written", err=True)
        return
    click.echo(f"The watch has ended. The result in {shown(str(out))} is as of {_clock(ended.as_of)} UTC.", err=True)
    if ended.left:
        of_nodes = [f"--node={node}={path}" for node, path in nodes]
        more = shlex.join(["kafka-replay", "append", str(out), *of_nodes, *inputs])
        how = "" if "-" in inputs else f": {shown(more)}"  # data from a pipe is gone
        click.echo(f"{_bytes(ended.left)} of new data are not in it{how}", err=True)


def _run(command: str, line: str) -> None:
    """Run the user's command for a change. Its output is printed; a failure is reported, and does not stop the
    watch.
    """
    try:
        done = subprocess.run(command, shell=True, input=line + "\n", text=True, timeout=_HOOK_SECONDS, check=False)
        why = f"exit status {done.returncode}" if done.returncode else None
    except subprocess.TimeoutExpired:
        why = f"it took longer than {_HOOK_SECONDS} s and was ended"
    except OSError as error:
        why = str(error.strerror)
    if why:
        click.echo(f"kafka-replay: --on-change: {plain_line(why)}", err=True)


def _clock(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _bytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"
