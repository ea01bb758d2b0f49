"""Hides passwords, keys and credentials in URLs.

They are replaced before anything is stored; the name of a secret stays.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from functools import lru_cache

from replay.reading.private_keys import has_open_key, hidden_keys
from replay.reading.secret_blocks import hidden_blocks
from replay.reading.secret_forms import FORMS
from replay.reading.secret_values import WORD, spans

MASK = "[hidden]"  # Kafka's own text for the value of a password setting

# Every text with a secret contains one of these, in lower case. Searching for fixed texts takes a tenth of the time of
# an expression.
_OF_NAMES = (
    "pass",
    "pwd",
    "pw",
    "secret",
    "credential",
    "creds",
    "hmac",
    "key",
    "salt",
    "token",
    "authorization",
    "digest",
    "user.info",
    "user_info",
    "user-info",
    "license",
    "licence",
    "assertion",
    "keytab",
    "pin",
    "otp",
    "auth",
    "psk",
    "verifier",
    "plaintext",
    "p@ss",
    "kennwort",
    "contrase",
    "senha",
    "haslo",
    "hasło",
    "парол",
    "密",
    "パスワード",
    "비밀번호",
    "wachtwoord",
    "heslo",
    "parola",
    "salasana",
    "_pat",
    "base64",
    "b64",
    "device_code",
    "unlock",
)


def _any_of(words: Iterable[str]) -> str:
    """An expression for any of `words` that looks at each letter only once."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:1], []).append(word[1:])
    if "" in rests:  # the rest of a longer word does not matter
        return ""
    branches = [re.escape(letter) + _any_of(rest) for letter, rest in rests.items()]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


_OF_FORMS = re.compile(_any_of(sign for form in FORMS for sign in form.signs))
SIGNS = frozenset((*_OF_NAMES, *(sign for form in FORMS for sign in form.signs)))
"""Each secret contains one of these, or follows one, in lower case."""
_SECRET_NAME = re.compile(rf"(?i){WORD}|jaas|token|\.key$")

_CLASS = re.compile(r"\.[A-Z]\w*$")
# Invisible characters within a name or around it.
_UNSEEN = re.compile("\x1b\\[[0-9;]{0,20}m|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u2060\ufeff]")
# The encodings of a character in a properties file, in JSON, in a URL and on a page.
_ENCODED = re.compile(
    r"\\(?:u00|x)([2-7][0-9A-Fa-f])|\\u((?!00[0-7]|[dD][89a-fA-F])[0-9A-Fa-f]{4})|%(?:25){0,3}([2-7][0-9A-Fa-f])|&(?:amp;){0,3}(#x?[0-9A-Fa-f]{1,4}|quot|lt|gt|amp|apos);|\\(?=[=:\"'])"
)


@lru_cache(maxsize=1_000)  # a broker prints the same settings at each start, and the same warning for minutes
def hidden_text(text: str) -> str:
    """`text` with `MASK` in place of each secret."""
    small = text.lower()
    if not _has_any(_OF_NAMES, small) and _OF_FORMS.search(small) is None and not _is_encoded(text):
        return text
    if "\n" in text or "secret" in small:
        text = hidden_blocks(text, MASK, hidden_text)
        small = text.lower()
    shown = _hidden(text, small)
    return "\n".join(map(_hidden_in_plain, shown.split("\n"))) if _is_encoded(shown) else shown


def _hidden_in_plain(line: str) -> str:
    """`line` decoded, if that shows a secret; else unchanged."""
    plain = _decoded(line) if _is_encoded(line) else line
    if plain == line:
        return line
    hidden = _hidden(plain, plain.lower())
    return hidden if hidden.count(MASK) > line.count(MASK) else line


def _is_encoded(text: str) -> bool:
    return "%" in text or "&" in text or "\\" in text or _UNSEEN.search(text) is not None


def _decoded(text: str) -> str:
    return _ENCODED.sub(_letter, _UNSEEN.sub("", text))


def _letter(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        return chr(int(code, 16))
    return html.unescape(f"&{found[4]};") if found[4] else ""


def hidden_lines(text: str) -> str:
    """`text` with `MASK` in place of each line of a private key, and of each value on the line below its name. The
    number of lines does not change.
    """
    text = _NAME_ABOVE.sub(_hidden_below, hidden_blocks(text, MASK, hidden_text))
    if "PuTTY-User-Key-File" in text:
        text = _PUTTY.sub(lambda found: found[1] + re.sub(r"[^\n]+", MASK, found[2]), text)
    return hidden_keys(text, MASK)


def has_open_end(text: str) -> bool:
    """Whether a secret can go on behind the end of `text`: a private key, or the value of the name on the last line."""
    last = text[max(0, len(text) - 200) :].rstrip()
    return last[-1:] in ("=", ":", ">", "|", "\\") or has_open_key(text)


def _hidden_below(found: re.Match[str]) -> str:
    end = found.start()
    begin = found.string.rfind("\n", 0, end) + 1
    for _ in range(_MOST_COMMENTS):  # between name and value
        if not begin or not found.string[begin:end].lstrip().startswith("#"):
            break
        end = begin - 1
        begin = found.string.rfind("\n", 0, end) + 1
    above = found.string[max(begin, end - 200) : end]
    shown = hidden_text(f"{above}\n{found[2]}").partition("\n")[2]
    return found[1] + shown if MASK in shown and "\n" not in shown else found[0]


_NAME_ABOVE = re.compile(
    r"((?<=[=:>＝])[^\S\n]{0,80}+(?:[|>][+-]?|\\|\((?:[a-z]\w{0,40}\.){1,9}\w{1,80}\))?\n|\n(?=[^\S\n]{0,40}+value:))([^\n]{1,1000})"
)
_MOST_COMMENTS = 4
_PUTTY = re.compile(r"(Private-Lines: \d{1,4}\n)((?:[A-Za-z0-9+/=]{1,200}(?:\n|$)){1,400})")


def _hidden(text: str, small: str) -> str:
    if "private key" in small:
        text = hidden_keys(text, MASK)
    for form in FORMS if _OF_FORMS.search(small) is not None else ():
        if _has_any(form.signs, small):
            text = form.hidden_in(text, MASK)
    if not _has_any(_OF_NAMES, small):
        return text
    pieces: list[str] = []
    at = 0
    for begin, end in spans(text):
        pieces += (text[at:begin], MASK)
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def _has_any(signs: tuple[str, ...], small: str) -> bool:
    for sign in signs:  # noqa: SIM110 - half the time of any(), and this runs for every line
        if sign in small:
            return True
    return False


def hidden_and_counted(text: str) -> tuple[str, int]:
    """`text` with `MASK` in place of each secret, and the number of secrets."""
    shown = hidden_text(text)
    return shown, 0 if shown is text else shown.count(MASK) - text.count(MASK)


@lru_cache(maxsize=10_000)
def is_setting_of_a_secret(logger: str | None) -> bool:
    """Whether what a layout takes for a logger is the name of a secret, as in `ERROR ssl.key.password: value`."""
    if logger is None or _CLASS.search(logger) is not None:
        return False
    return MASK in hidden_text(f"{logger}: x1Y2z3W4")


def hidden_behind(logger: str | None, message: str) -> tuple[str, int]:
    """The message of a logger with `MASK` in place of each secret, and the number of secrets."""
    if not is_setting_of_a_secret(logger):
        return hidden_and_counted(message)
    shown, secrets = hidden_and_counted(f"{logger}: {message}")
    return shown.removeprefix(f"{logger}: "), secrets


def is_secret_name(name: str) -> bool:
    """Whether a setting of this name is secret."""
    return _SECRET_NAME.search(name) is not None
