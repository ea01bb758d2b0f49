"""What a terminal would act on is shown; any locale will do; secrets are hidden in what is printed."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from pipelines.cli import _print, main
from pipelines.terminal import any_locale, json_line, plain_line, shown

HOSTILE = "\x1b[31mred \x1b]0;title\x07 \x9b31m \u202eturned\u2066 back\x08\r over"


def test_characters_that_a_terminal_acts_on_are_shown(capsys):
    _print([HOSTILE + "\n"])
    said = capsys.readouterr().out
    assert said == ("\\x1b[31mred \\x1b]0;title\\x07 \\x9b31m \\u202eturned\\u2066 back\\x08\\r over\n")
    assert shown("a\ttab, é, 日本") == "a\ttab, é, 日本"


def test_json_keeps_its_value_and_sends_nothing():
    line = json_line({"message": HOSTILE})
    assert json.loads(line) == {"message": HOSTILE}
    assert all(" " <= character <= "~" for character in line)


def test_errors_are_one_line_without_secrets():
    assert (
        plain_line("no\nsuch \x1b[2J file: https://bob:pw1@host/x")
        == "no such \\x1b[2J file: https://bob:[hidden]@host/x"
    )


@pytest.mark.parametrize("encoding", ["ascii", "iso-8859-1", "utf-8"])
def test_any_locale_will_do(monkeypatch, encoding):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    any_locale()
    print("12:00 – 12:05 … \udce9")
    sys.stdout.flush()
    said = raw.getvalue().decode(encoding)
    assert said == ("12:00 – 12:05 … \\udce9\n" if encoding == "utf-8" else "12:00 - 12:05 ... \\udce9\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_no_file_gets_the_number_of_a_stream_that_the_caller_closed(closed, tmp_path):
    """Else what the program prints, or its Java, would be written into that file."""
    code = (
        "import sys; from pipelines.terminal import open_streams; open_streams(); "
        "f = open(sys.argv[1], 'w'); print('seen'); print('seen', file=sys.stderr); sys.stdin.buffer.read(); f.write(str(f.fileno() > 2))"
    )
    script = f'exec "$0" -c "$1" "$2" {closed}'
    subprocess.run(["bash", "-c", script, sys.executable, code, tmp_path / "file"], check=True, input=b"")
    assert (tmp_path / "file").read_text() == "True"


def test_bytes_that_are_no_text_are_read_as_such_from_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["kafka-replay", "catalogue", "--explain", "-"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe what\n"), encoding="utf-8"))
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0 and "what" in capsys.readouterr().out
