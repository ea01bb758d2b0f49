"""`collect prometheus` against a server that answers as Prometheus does."""

from __future__ import annotations

import json
import tarfile
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner

from pipelines.cli import main_group
from pipelines.prometheus import Server, hours, queries, window
from replay.errors import InputError
from replay.metrics.formats import format_of, samples_of
from replay.metrics.raw import MetricFile

SERIES = '{"metric":{"__name__":"up","instance":"kafka-1:9404","job":"kafka"},"values":[[1795914650.395,"1"],[1795914665.395,"0"]]}'


@contextmanager
def prometheus(authorization: str | None = None, result: str = SERIES):
    """A server, and the queries that it was asked."""
    asked: list[tuple[str, float]] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            given = self.headers.get("Authorization")
            if authorization is not None and given != authorization:
                self.send_error(401)
                return
            query = parse_qs(urlsplit(self.path).query)
            asked.append((query["query"][0], float(query["time"][0])))
            own = result if '"up' in asked[-1][0] or "|up" in asked[-1][0] else ""
            body = f'{{"status":"success","data":{{"resultType":"matrix","result":[{own}]}}}}'.encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *given):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def collected(tmp_path, url, *options):
    out = tmp_path / "metrics.tar.gz"
    times = ["--since", "2026-11-29 01:00", "--until", "2026-11-29 02:30"]
    done = CliRunner().invoke(main_group, ["collect", "prometheus", "--url", url, *times, "--out", str(out), *options])
    return done, out


def texts(out) -> dict[str, str]:
    with tarfile.open(out) as archive:
        return {name: archive.extractfile(name).read().decode() for name in archive.getnames()}


def test_the_archive_has_scrapes_and_neither_password_nor_user(tmp_path):
    with prometheus("Basic YWxpY2U6czNjcmV0") as (place, asked):
        done, out = collected(tmp_path, f"http://alice:s3cret@{place}")
    assert done.exit_code == 0, done.output
    held = texts(out)
    files = {name: text for name, text in held.items() if name.startswith("prometheus/")}
    assert len(files) == 2
    everything = done.output + "".join(held) + "".join(held.values())
    assert "s3cret" not in everything and "alice" not in everything and "YWxpY2U6" not in everything
    text = next(iter(files.values()))
    assert format_of(text) == "prometheus-json"
    rows = list(samples_of(text, MetricFile("f", "prometheus-json")))
    assert [(row.metric, row.node_id, row.value, row.age_ms) for row in rows] == [("up", 1, 1.0, 0), ("up", 1, 0.0, 0)]
    assert len(asked) == 2 * len(queries())


def test_a_token_is_sent_and_not_stored(tmp_path):
    token = tmp_path / "token"
    token.write_text("t0ken-of-mine\n")
    with prometheus("Bearer t0ken-of-mine") as (place, _):
        done, out = collected(tmp_path, f"http://{place}", "--token-file", str(token))
    assert done.exit_code == 0, done.output
    assert "t0ken-of-mine" not in done.output + json.dumps(texts(out))


def test_a_refusal_is_one_line_without_the_credentials_and_leaves_no_archive(tmp_path):
    with prometheus("Bearer other") as (place, _):
        done, _ = collected(tmp_path, f"http://bob:hunter2@{place}")
    assert isinstance(done.exception, InputError) and list(tmp_path.iterdir()) == []
    said = str(done.exception)
    assert "401" in said and "--token-file" in said and "hunter2" not in said + done.output


def test_no_samples_are_an_error_and_no_empty_archive(tmp_path):
    with prometheus(result="") as (place, _):
        done, out = collected(tmp_path, f"http://{place}")
    assert isinstance(done.exception, InputError) and "no sample of a known metric" in str(done.exception)
    assert not out.exists()


def test_an_address_that_does_not_answer_is_named(tmp_path):
    done, out = collected(tmp_path, "http://127.0.0.1:9")
    assert isinstance(done.exception, InputError) and "cannot be reached" in str(done.exception) and not out.exists()


def test_the_queries_are_a_fixed_list_for_known_metrics_without_topics():
    assert queries() == queries()
    assert all('topic=""' in query for query in queries())
    assert any("node_disk_write_time_seconds_total" in query for query in queries())


def test_the_window_is_cut_into_hours_and_checked():
    first, last = window("2026-11-29 01:00", "2026-11-29T02:30:00Z")
    assert [(b.hour, e.hour, e.minute) for b, e in hours(first, last)] == [(1, 2, 0), (2, 2, 30)]
    assert last - first == timedelta(minutes=90)
    assert window("2026-11-29T01:00:00+01:00", "2026-11-29 01:00")[0] == datetime(2026, 11, 29, tzinfo=UTC)
    for since, until in (
        ("yesterday", None),
        ("2026-11-29 02:00", "2026-11-29 01:00"),
        ("2026-10-01 00:00", "2026-11-29 01:00"),
    ):
        with pytest.raises(InputError):
            window(since, until)


@pytest.mark.parametrize("url", ["prometheus:9090", "file:///etc/passwd", "ftp://x", "http://"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InputError):
        Server.of(url)
