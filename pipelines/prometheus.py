"""Collects samples from a Prometheus: a fixed list of queries for the metrics that the analysis knows, hour by hour.

A range selector (`metric[1h]`) is answered with the scrapes themselves and their times. `query_range` would give values on a grid that are up to
five minutes old.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlencode, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from pipelines.evidence_files import Archive
from replay.errors import InputError
from replay.json_text import value_of_json
from replay.metrics.documents import micros_of_iso
from replay.metrics.names import names

_SCRAPED = (
    "strimzi-rules",
    "strimzi-reporter",
    "jmx-exporter",
    "java",
    "prometheus",
    "node_exporter",
    "kubelet",
    "kminion",
)
_TOGETHER = 25  # names in one query
_STEP = timedelta(hours=1)  # of one query
_TIMEOUT_S = 120
_LONGEST = timedelta(days=2)
_QUANTILES = "|0.5|0.50|0.99|0.999"


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect: credentials must not go to another host."""

    def redirect_request(self, *given: Any) -> None:
        return None


_OPENER = build_opener(_NoRedirects)


@dataclass(frozen=True)
class Server:
    """A Prometheus: its address without credentials, and the header that authorizes a request."""

    address: str
    authorization: str | None = None

    @classmethod
    def of(cls, url: str, token: str | None = None, user: str | None = None, password: str | None = None) -> Server:
        """The server at a URL, whose user and password are taken out of it. Raises InputError for what is no URL."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("--url: not an address of a Prometheus; give one such as http://prometheus:9090")
        user = user or (unquote(parts.username) if parts.username else None)
        password = password or (unquote(parts.password) if parts.password else None)
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        place = host if parts.port is None else f"{host}:{parts.port}"
        header = f"Bearer {token}" if token else None
        if user is not None:
            header = "Basic " + base64.b64encode(f"{user}:{password or ''}".encode()).decode()
        return cls(urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", "")), header)

    def answer(self, query: str, at: datetime) -> str:
        """The answer to an instant query. Raises InputError in one line, without credentials."""
        request = Request(f"{self.address}/api/v1/query?{urlencode({'query': query, 'time': at.timestamp()})}")
        if self.authorization:
            request.add_unredirected_header("Authorization", self.authorization)
        try:
            with _OPENER.open(request, timeout=_TIMEOUT_S) as response:
                return str(response.read().decode("utf-8", "replace"))
        except HTTPError as error:
            raise InputError(f"{self.address}: answered {error.code} {error.reason}{_advice(error.code)}") from None
        except (URLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise InputError(f"{self.address}: cannot be reached ({reason}); check --url") from None


def _advice(code: int) -> str:
    if code in (401, 403):
        return "; give --token-file, or --user and --password-file"
    if 300 <= code < 400:
        return "; give the address that it redirects to"
    return "; give the address of a Prometheus, without /api/v1" if code == 404 else ""


def queries() -> list[str]:
    """The selectors of all queries, which never change: the known metrics, without single topics."""
    known = sorted({one.name for one in names() if one.origin in _SCRAPED})
    groups = (known[at : at + _TOGETHER] for at in range(0, len(known), _TOGETHER))
    return [f'{{__name__=~"{"|".join(group)}",topic="",quantile=~"{_QUANTILES}"}}' for group in groups]


def collect_prometheus(
    archive: Archive, server: Server, since: datetime, until: datetime, on_step: Callable[[str], None]
) -> None:
    """Stores the samples from `since` to `until`. Raises InputError if there are none, and for an address that is no
    Prometheus.
    """
    found = 0
    for begin, end in hours(since, until):
        on_step(f"Asking {server.address} for {begin:%Y-%m-%d %H:%M} to {end:%H:%M}")
        seconds = round((end - begin).total_seconds())
        for number, selector in enumerate(queries(), 1):
            query = f"{selector}[{seconds}s]"
            text = server.answer(query, end)
            count = _series_in(text, server.address)
            if count:
                found += count
                content = f'{text.rstrip()[:-1]},"query":{json.dumps(query)}}}'.encode()
                archive.add(
                    f"prometheus/{begin:%Y%m%dT%H%M%SZ}-{number:02d}.json", content, f"{server.address} query {number}"
                )
    if not found:
        raise InputError(
            f"{server.address}: has no sample of a known metric from {since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC; "
            "check --since and --until"
        )


def _series_in(text: str, address: str) -> int:
    document = value_of_json(text)
    if not isinstance(document, dict) or document.get("status") != "success":
        reason = document.get("error") if isinstance(document, dict) else "its answer is no JSON"
        raise InputError(f"{address}: is no Prometheus, or refused the query ({str(reason)[:120]})")
    return len((document.get("data") or {}).get("result") or ())


def hours(since: datetime, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    """The time in pieces of at most an hour."""
    while since < until:
        end = min(since + _STEP, until)
        yield since, end
        since = end


def window(since: str, until: str | None, now: datetime | None = None) -> tuple[datetime, datetime]:
    """The asked time, UTC where it names no zone. Raises InputError for one that is no time, empty, or too long."""
    first, last = _time("--since", since), (now or datetime.now(UTC)) if until is None else _time("--until", until)
    if first >= last:
        raise InputError("--since: is not before --until")
    if last - first > _LONGEST:
        raise InputError("--since: more than two days before --until; collect the time of the incident alone")
    return first, last


def _time(option: str, text: str) -> datetime:
    padded = f"{text}:00" if text.count(":") == 1 and text[-3:-2] == ":" else text
    micros = micros_of_iso(padded)
    if micros is None:
        raise InputError(f"{option}: '{text}' is no time; give one such as 2026-11-21 05:00, or 2026-11-21T05:00:00Z")
    return datetime.fromtimestamp(micros / 1_000_000, UTC)


def secret_in(names_of_files: Sequence[Any]) -> list[str | None]:
    """The first line of each file that holds a secret; None where no file is given."""
    return [
        None if file is None else file.read_text(encoding="utf-8").strip().split("\n")[0] for file in names_of_files
    ]
