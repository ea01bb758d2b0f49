"""`kafka-replay collect`: collects the evidence of a cluster into one archive, before anything is restarted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from pipelines.commands.parameters import topics

_path = click.Path(path_type=Path)


def _common(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--overwrite", is_flag=True, help="Replace an archive of that name."),
        click.option(
            "--redact",
            is_flag=True,
            help="Replace names of topics, hosts, clients, users and ids, and hide secrets in logs; alike on all hosts "
            "of a cluster.",
        ),
        click.option(
            "--out", type=_path, default=Path("kafka-evidence.tar.gz"), show_default=True, help="The archive."
        ),
    ):
        command = option(command)
    return command


def _tails(command: Callable[..., None]) -> Callable[..., None]:
    """The options about the ends of replicas' logs."""
    for option in (
        click.option(
            "--tails-limit",
            type=click.FloatRange(0),
            default=2.0,
            show_default=True,
            help="At most this many GB a node.",
        ),
        click.option(
            "--tails-hours",
            type=click.FloatRange(0),
            default=6.0,
            show_default=True,
            help="Segments that were written within the last hours.",
        ),
        click.option(
            "--tails-result",
            type=_path,
            metavar="DIR",
            help="Only what this result of `analyze` shows as lost, and later.",
        ),
        topics,
        click.option(
            "--tails",
            is_flag=True,
            help="Also save the ends of the replicas' logs, for `kafka-replay rescue`: before a restart truncates them. They "
            "hold records: keep the archive private.",
        ),
    ):
        command = option(command)
    return command


_since = click.option(
    "--since",
    default="7 days ago",
    show_default=True,
    help="Include the host's and containers' records from then on: '2 days ago', '2026-11-21 05:00'.",
)


@click.group()
def collect() -> None:
    """Collect the files that prove what happened into one archive: run it before you restart anything.

    \b In this order, over all nodes: 1. checkpoint files, which a restart overwrites within seconds; 2. states and
    events of containers, which a restart or an hour overwrites; 3. logs, including healthy nodes; 4. the host's logs:
    the kernel, systemd, Java's crash reports, Docker's host too; or the operator; 5. settings, with probable secrets
    masked.

    The archive is an INPUT of `kafka-replay analyze`. Logs are copied unchanged, unless --redact is given: check them
    before you send them on.
    """


@collect.command()
@click.option("--unit", default="kafka", show_default=True, help="The systemd unit.")
@click.option(
    "--config", "configs", type=_path, multiple=True, help="server.properties (default: that of the running process)."
)
@click.option("--logs", type=_path, multiple=True, help="A folder with the node's logs; may be repeated.")
@click.option("--data", type=_path, multiple=True, help="A data directory (log.dirs); may be repeated.")
@click.option("--node", type=int, help="The node's id (default: that of meta.properties).")
@_since
@_tails
@_common
@click.pass_obj
def systemd(echo: Any, /, out: Path, overwrite: bool, redact: bool, **options: Any) -> None:
    """Collect from this host, with or without systemd, whether Kafka runs or not. Run it on every host.

    \b
    Examples:
      kafka-replay collect systemd --unit kafka
    """
    from pipelines.deployments import host

    _taken(echo, (out, overwrite, redact), host, options)


@collect.command()
@click.option(
    "--file", "files", type=_path, multiple=True, help="The compose file (default: as docker compose finds it)."
)
@click.option("--project", help="The project's name.")
@click.option(
    "--service",
    "services",
    multiple=True,
    help="A service that runs Kafka; may be repeated (default: all that look so).",
)
@click.option("--data", multiple=True, help="A data directory in the containers; may be repeated.")
@_since
@_tails
@_common
@click.pass_obj
def compose(echo: Any, /, out: Path, overwrite: bool, redact: bool, **options: Any) -> None:
    """Collect from all Kafka containers of a Docker Compose project, including stopped ones.

    \b
    Examples:
      kafka-replay collect compose --file docker-compose.yml
    """
    from pipelines.deployments import compose as of_compose

    _taken(echo, (out, overwrite, redact), of_compose, options)


@collect.command()
@click.option("--namespace", "-n", help="The namespace.")
@click.option("--context", help="kubectl's context.")
@click.option("--cluster", help="Strimzi's cluster (default: all in the namespace).")
@click.option("--selector", help="Labels of the pods, if they are not Strimzi's: app=kafka.")
@click.option("--container", default="kafka", show_default=True, help="The container that runs Kafka.")
@click.option("--data", multiple=True, help="A folder with data directories in the pods; may be repeated.")
@_tails
@_common
@click.pass_obj
def kubernetes(echo: Any, /, out: Path, overwrite: bool, redact: bool, **options: Any) -> None:
    """Collect from all pods of a cluster on Kubernetes, by default Strimzi's, including the logs before the last restart.

    \b
    Examples:
      kafka-replay collect kubernetes -n kafka --cluster my-cluster
      kafka-replay collect kubernetes -n kafka --selector app=kafka
    """
    from pipelines.deployments import kubernetes as of_kubernetes

    _taken(echo, (out, overwrite, redact), of_kubernetes, options)


_TAIL_OPTIONS = ("tails", "topics", "tails_result", "tails_hours", "tails_limit")


def _wanted(
    redact: bool, tails: bool, topics: Sequence[str], tails_result: Path | None, tails_hours: float, tails_limit: float
) -> Any:
    """What to save of the replicas' logs; None without --tails."""
    if not tails:
        return None
    from pipelines.saved_tails import Wanted, lost_from

    if redact:
        raise click.UsageError("--tails saves records as they are: leave out --redact, and keep the archive private")
    lost = None if tails_result is None else lost_from(tails_result)
    return Wanted(tuple(topics), lost, tails_hours, round(tails_limit * 1e9))


def _taken(echo: Any, /, place: tuple[Path, bool, bool], take: Callable[..., None], options: dict[str, Any]) -> None:
    from pipelines.evidence_files import Archive
    from replay.errors import InputError

    out, overwrite, redact = place
    saves_tails = options["tails"]
    options["tails"] = _wanted(redact, **{name: options.pop(name) for name in _TAIL_OPTIONS})
    with Archive(out, overwrite, redact, private=saves_tails) as archive:
        take(archive, **options, on_step=lambda step: click.echo(f"{step} …", err=True))
        if not archive.taken:
            raise InputError("nothing could be taken: " + ("; ".join(archive.missing[:3]) or "no file is there"))
    size = sum(int(str(piece["bytes"])) for piece in archive.taken)
    echo(
        [
            f"{out}: {len(archive.taken) - 1} files, {size / 1e6:,.1f} MB before packing.",
            *([f"Names replaced: {archive.replaced}."] if archive.replaced else []),
            *(f"Not collected: {what}" for what in archive.missing),
            f"Next: kafka-replay analyze {out}{' …, then kafka-replay rescue RESULT ' + str(out) + ' …' if saves_tails else ''}",
        ]
    )
