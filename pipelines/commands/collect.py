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


@collect.command()
@click.option("--url", required=True, help="The address of the Prometheus: http://prometheus:9090.")
@click.option(
    "--since", required=True, help="Collect samples from then on: '2026-11-21 05:00' (UTC), '2026-11-21T05:00:00Z'."
)
@click.option("--until", help="Up to then (default: now).")
@click.option("--token-file", type=_path, help="A file with a bearer token.")
@click.option("--user", help="The user's name, for basic authentication.")
@click.option("--password-file", type=_path, help="A file with the user's password.")
@_common
@click.pass_obj
def prometheus(echo: Any, /, out: Path, overwrite: bool, redact: bool, **options: Any) -> None:
    """Collect the samples of known metrics from a Prometheus: an INPUT of `analyze` beside the logs.

    Asks a fixed list of queries, hour by hour. The archive names the address, but neither user, password nor token.

    \b
    Examples:
      kafka-replay collect prometheus --url http://prometheus:9090 --since '2026-11-21 05:00' --until '2026-11-21 06:00'
    """
    from pipelines.prometheus import Server, collect_prometheus, secret_in, window
    from replay.errors import InputError

    since, until = window(options["since"], options["until"])
    try:
        token, password = secret_in([options["token_file"], options["password_file"]])
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error
    server = Server.of(options["url"], token, options["user"], password)

    def take(archive: Any, on_step: Callable[[str], None], tails: None) -> None:
        collect_prometheus(archive, server, since, until, on_step)

    _archived(echo, (out, overwrite, redact), take, {"tails": None})


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
    options["tails"] = _wanted(place[2], **{name: options.pop(name) for name in _TAIL_OPTIONS})
    _archived(echo, place, take, options)


def _archived(echo: Any, /, place: tuple[Path, bool, bool], take: Callable[..., None], options: dict[str, Any]) -> None:
    """Writes what `take` collects into an archive, and prints what it holds."""
    from pipelines.evidence_files import Archive
    from replay.errors import InputError

    out, overwrite, redact = place
    saves_tails = options["tails"] is not None
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
