"""The values of settings and fields with a secret name, in every notation that puts a value near its name.

The search first finds a word such as `password`, then examines its whole name, the text between name and value, and the
value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

_KEYS = (
    "private|access|encryption|decryption|signing|deploy|ssh|licen[cs]e|hmac|master|stored|server|client|account|shared|subscription|functions|consumer"
    "|webhook|session|storage|service|admin|secret|symmetric|ssl|keystore|truststore|jwt|cookie|fernet|sas"
)
_IN_OTHER_LANGUAGES = r"passwort|kennwort|contrase[nñ]a|senha|has[lł]o(?![a-z])|парол[ьи]|密[码碼]|パスワード|비밀번호|mots? de passe|wachtwoord|heslo|parola(?![a-z])|salasana"
_PASSWORD = rf"p[a@]ss(?:[ _-]?word|wd|[ _-]?phrase|code)|{_IN_OTHER_LANGUAGES}"
# A part of a setting's or field's name that marks its value as secret.
WORD = (
    rf"(?:{_PASSWORD})s?"
    r"|(?<![A-Za-z])pass(?![A-Za-z])|(?-i:(?<=[a-z0-9])Pass(?![a-z]))|(?:store|key|db|root|user|admin|my|ssh)pass(?![a-z])"
    r"|(?<![A-Za-z])(?:db|ldap|root|user|admin)?pwd|(?:bind|root|admin|user|db|ldap|my|login)_?pw(?![A-Za-z])|(?<![A-Za-z])pw(?![A-Za-z])|secret(?!ar(?:y|ies))|hmac"
    r"|super[._-]?digest|user[._-]info|licen[cs]e key|(?<![A-Za-z])licen[cs]e(?![A-Za-z])|client[._-]?assertion(?![._-]?type)|keytab base64|credentials?(?![A-Za-z])"
    r"|(?<![A-Za-z])creds?(?![A-Za-z])"
    rf"|(?:{_KEYS})[._-]?key(?:[._-]data)?(?![A-Za-z])|api[._-]?key(?![A-Za-z])|(?<![A-Za-z])salt(?![A-Za-z])"
    r"|(?:access|refresh|auth|session|bearer|security|id|csrf|xsrf|api|oauth)[._-]?token(?![A-Za-z.])|token(?![A-Za-z.])"
    r"|(?<![A-Za-z])authorization(?![A-Za-z])|(?<![A-Za-z])(?:pin|otp)(?![A-Za-z])|(?<=[?&_])auth(?![A-Za-z])"
    r"|(?:key|trust)store[._-](?:(?:p12|pkcs12|jks|pem)[._-])?(?:base64|b64)(?![A-Za-z])|(?:github|gitlab|azure|devops)[._-]pat(?![A-Za-z])|(?:device|unlock)[._-]code(?![A-Za-z])|(?<=[?&])assertion(?![A-Za-z])"
    r"|auth[._-]?bytes|code[._-]?verifier|(?<![A-Za-z])psk(?![A-Za-z])|(?:plaintext|plain)[._-]?data[._-]?key(?![A-Za-z])|kms[._-]data[._-]key(?![A-Za-z.])"
    r"|(?:reporter|registry|proxy|rest|http|sink)[._-]auth(?![\w.-])"
)
_WORD = re.compile(rf"(?i){WORD}")
_WORD_AT_END = re.compile(rf"(?i)(?:{WORD})s?(?:[._-]?(?:id|value))?\Z")
_MAY_MEAN_ANOTHER_THING = re.compile(
    r"(?i)token|api_?key|pin|otp|(?:[a-z]{1,9}[._-])?auth|pw|licen[cs]e|creds?|psk"
)  # the value must look like a secret
_IN_SENTENCES = re.compile(rf"(?i){_PASSWORD}|pwd|secret|credential|hmac|bind_?pw")
_NAME = re.compile(r"[\w.-]{0,80}+")
_BEFORE = 80  # characters of a name before its word
# Names that contain such a word: of a secret, or of a file or machine for secrets. `ssl.key.password` is a secret,
# `password.encoder.iterations` is not.
_NO_SECRET = re.compile(
    r"(?i)(?:[._-]|(?-i:(?<=[a-z])(?=[A-Z])))(?:location|type|class|algorithm|iterations?|length|version|ur[il]|endpoint|ms|seconds|enabled?|count|handler"
    r"|provider|interval|lifetime|ttl|timeout|mechanisms?|alias|policy|source|expiry|expires_in|rotation|retries|keyfactory|service|manager|cache|reader|format|stdin|fd|file|path|name|ref)$"
)
# A file of Unix; the count of a pass over something; the working directory of a shell.
_ANOTHER_THING = re.compile(
    r"(?i)(?:(?<=/etc/)|(?<=bin/))passwd(?![\w.-])|pass\s?[:=]\s?\d{1,3}(?![\w.!-])|(?:(?-i:PWD)=|pwd\s?=\s?/[\w.+-]{1,80})(?:/[\w.+-]{0,80}){1,20}(?![^\s;,])"
)
_PARTITION = re.compile(r"-\d{1,3}$")
_GAP = r"[^\S\n]{0,80}+"
_NO_VALUE = r"(?:[^\S\n]|[\w.-]){1,90}[=:]|\[?\d{4}[-/]\d\d[-/]\d\d|\{\\{0,8}\"|│|[^\S\n]{0,9}at\s"  # a setting, a record, or a stack frame
_NEXT_LINE = rf"(?:{_GAP}(?:[|>][+-]?|\\|\((?:[a-z]\w{{0,40}}\.){{1,9}}\w{{1,80}}\))?\n(?!{_NO_VALUE}))?{_GAP}"
_QUOTE = r"(?:\\{0,8}[\"'`”’»])?+"
_ASIDE = r"(?:\([^()\n]{0,60}\)[^\S\n]{0,9}+)?+"
_EQUALS = re.compile(rf"{_QUOTE}(?:\[\d{{1,3}}\])?\]?{_GAP}{_ASIDE}(?:=>|->|→|←|<-|:=|==?|[＝：]){_NEXT_LINE}")
_COLON = re.compile(rf"(?P<quote>{_QUOTE}){_GAP}{_ASIDE}:{_NEXT_LINE}")
_PAIR = re.compile(
    rf"{_QUOTE}(?:[,;]\s?|\s{{1,80}}+(?:#[^\n]{{0,200}}\n\s{{0,80}}+){{0,4}})(?:\\{{0,8}}[\"'])?(?:\w{{0,12}}value|val|default)\\{{0,8}}[\"']?\s?[=:]\s?"
)
_NAMED = re.compile(r"(?i)(?:name|key)\\{0,8}[\"']?\s?[=:]\s?\\{0,8}[\"']?[\w.-]{0,80}\Z")
_FIELDS = re.compile(  # of an object or an element, between its name and its value
    rf"{_QUOTE}(?:(?:,\s?|\s)[\"']?\w{{1,40}}[\"']?\s?[=:]\s?[\"']?[^\s,;=\"'<>]{{0,80}}[\"']?){{1,4}}?(?:,\s?|\s)[\"']?value[\"']?\s?[=:]\s?"
)
_CELL = re.compile(r"\]?[^\S\n]{0,80}[|│][^\S\n]{0,80}|\][^\S\n]{1,9}(?![=:→←-])")
# The second of two elements: `("password", "x")`.
_FIRST_OF_TWO = re.compile(r"[(\[{]\s?\\{0,8}[\"']?\Z")
_SECOND = re.compile(
    rf"{_QUOTE}\s?,\s?(?=\\{{0,8}}[\"'][^\"'\\\n]{{1,400}}\\{{0,8}}[\"']\s?[)\]}}]|[^\s\"'()\[\]{{}},]{{1,200}}\s?[)\]}}])"
)
_CHANGED_TO = re.compile(r"[\"']?[^\S\n]{1,9}(?:→|->|=>)[^\S\n]{1,9}(?=\S)")
_TYPE = re.compile(r"(?:\((?:string|str|bytes|\[\]byte)\)\s?)?(?:\(len=\d{1,9}\)\s?)?(?=[\"'])")  # as Go prints it
_ELEMENT = re.compile(
    r"\\{0,8}[\"']?(?:\s[^<>\n]{0,200})?>(?:\s{0,80}</[\w:.-]{1,80}>\s{0,80}<[\w:.-]{1,80}>)?(?P<value><!\[CDATA\[.{1,2000}?\]\]>|[^<\n]{1,2000})</"
)
_IN_TAG = re.compile(r"<[^<>\n]{0,160}+\Z|>[\w.-]{0,80}+\Z")
_TO = re.compile(r"[\"']? to [\"']?")
_IS_SET = re.compile(
    r"(?i)\b(?:set|setting|chang\w{1,3}|configuration|updat\w{1,3}|overrid\w{1,4}|assign\w{0,3}|reset)\b[^\n]{0,12}\Z"
)
_FROM_TO = re.compile(
    r"[\"']?(?: (?:was )?(?:changed|updated|reset|set|rotated))?:?(?: from)? [\"']?(?P<old>[^\s\"',;:()]{4,200})[\"']? (?:to|->|=>) [\"']?(?P<new>[^\s\"',;()]{4,200})"
)
_SENTENCE = re.compile(
    r"(?i)[\"']?[^\S\n](?:(?:for|of|with|on|at|to|from)\s(?:the\s)?(?:(?:user|client|principal|keystore|truststore|key|alias|account|login)\s)?+[\"']?[\w.@/-]{1,64}+[\"']?:?\s)?"
    r"(?:(?:is|was) (?:incorrect|wrong|invalid|rejected|refused|not valid): |(?:has been|was|is) (?:set|changed|updated|reset) to |(?:is|was|of|=)\s|\()?[\"']?"
)
_OBJECT_OF_KUBERNETES = re.compile(r"[\"'] (?:not found|is forbidden|already exists|is not registered)")
_OPTION = re.compile(
    r"(?:\n[^\S\n]{0,40}-[^\S\n]{1,9}|\\{0,8}[\"'],\s?\\{0,8}(?=[\"'])|=|\s{1,9})[\"']?(?:pass:|env:|file:)?|:(?:env|file)\s{1,9}"
)
_SHELL_SETS = re.compile(r"\b(?:set -\w{1,4}|setenv|setx)[^\S\n]{1,9}\Z")
_PROPERTY = re.compile(
    r"[^\S\n]{1,80}+(?=[^\s=:(]\S{0,400}(?:[^\S\n]\((?:[a-z]\w{0,40}\.){1,9}\w{1,80}\))?[^\S\n]*$)", re.MULTILINE
)
_ALIGNED = re.compile(
    r"(?:[^\S\n]{2,80}+|\t|\\t|[^\S\n]{1,9}\.{3,80}+[^\S\n]{1,9})(?=\S{1,400}(?:[^\S\n]\((?:[a-z]\w{0,40}\.){1,9}\w{1,80}\))?[^\S\n]*$)",
    re.MULTILINE,
)
_BEGIN_OF_LINE = re.compile(
    r"(?:^|\n|\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\]? {1,9}(?:\[[^\]\n]{0,100}\] )?|\w\[\d{1,9}\]: |\bCOMMAND=\S{1,100} )[^\S\n]{0,80}+\Z"
)
_VALUE_OF = re.compile(
    r"(?i)\bvalue:? (?:\[hidden\] )?(?P<quote>[\"'\[]?)(?P<value>(?!null\b|\[hidden\])[^\n]{1,400}?)(?P=quote)\]?(?: was refused)? (?:for|of) [^\n]{0,40}?\Z"
)
_VALUE_FIRST = re.compile(
    r"(?i)[\"']?\b(?:value|val)[\"']?\s?[=:]\s?[\"'](?P<value>(?!\[hidden\])[^\"'\n]{1,400})[\"'],\s?[\"']?(?:name|key)[\"']?\s?[=:]\s?[\"']?\Z"
)

# The name of a class: digits stand only where they usually do.
_CLASS = r"[A-Z](?:[A-Za-z_$]|(?<=[Ll]og)4|(?<=ase)64|(?<=[Ss])3|(?<=uth|ttp)2|(?<=[Ss][Hh][Aa])\d{1,3}|(?<=[Mm][Dd])5){0,80}+(?!\w)"
# Values that are not secret, or hidden already; a class in place of a value; the kind of a header.
_NOTHING = re.compile(
    r"(?i)\\{0,8}[\"']?(?:(?:null|none|true|false|yes|no|\(sensitive(?: value)?\)|\(known after apply\)|[|>][+-]?|\[hidden\]|\[redacted\]|\[masked\]|\*+|basic|bearer|digest|negotiate|apikey|token|required|requested|optional"
    r"|aws4-hmac-sha256|scram-sha-\d{1,3}|tlsv[\d.]{1,4}|sha-?\d{1,3}|aes\S{0,40}|pbkdf2\w{0,40}|pkcs\S{1,40}|jks|plain|gssapi|oauthbearer)?\\{0,8}[\"']?(?:[\s)}\]]|$|[,;](?=\s|$|[\"'{]|[A-Za-z][\w.-]{0,80}[\"']?[=:]))"
    r"|\[hidden\](?!\w)"
    r"|(?-i:\$\{(?:(?:file|directory):/[^{}\s]{1,300}|env:(?:[A-Z][A-Z0-9_]{0,80}|[A-Za-z_]{1,80})|[A-Z][A-Z0-9_]{1,80})\})[\"']?(?:[\s,;)}]|$))"  # of a config provider
    rf"|(?:org|com|io|java|javax|kafka|net|software)\.(?:[a-z0-9_]{{1,40}}\.){{1,9}}(?-i:{_CLASS})|(?:\w{{1,60}}\.){{0,9}}+(?-i:[A-Z])\w{{0,60}}(?:Exception|Error)\b"
)
_LICENSE = re.compile(r"(?i)[^\n]{0,4}?\b(?:Apache|MIT|BSD|[AL]?GPL|MPL|EPL|ISC|ASL|CDDL|Confluent|Elastic|SSPL)\b")
_USER_AND_PASSWORD = re.compile(r"[\w.-]{1,64}:(?=[^\s:/]{0,200}\d)(?=[^\s:/]{0,200}[A-Za-z])[^\s:/]{6,200}")
_SEEMS_ONE = re.compile(
    r"(?=[^\s()\"',;:=]{0,200}\d)(?=[^\s()\"',;:=]{0,200}[A-Za-z])(?!(?-i:[A-Z][A-Z_]{3,}\d?\b)|/[\w.-]{1,40}/)[^\s()\"',;:=]{4,200}"
)
_HIDDEN = re.compile(r"\[hidden\](?!\w)")
_IN_ANGLES = re.compile(r"<(?=[^\s<>]{0,200}\d)(?=[^\s<>]{0,200}[A-Za-z])(?P<value>[^\s<>/][^\s<>]{5,200})>")
_QUOTED = re.compile(
    r"\"{3}(?P<triple>[^\"\n]{1,400})\"{3}|'{3}(?P<tripled>[^'\n]{1,400})'{3}|\"(?P<double>[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)|'(?P<single>[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)|(?P<escapes>\\{1,8})[\"'](?P<escaped>(?:(?!\\{1,8}[\"'])[^\n])*+)"
    r"|`(?P<back>[^`\n]{1,400})|“(?P<curly>[^”\n]{1,400})|‘(?P<curled>[^’\n]{1,400})|«(?P<angled>[^»\n]{1,400})"
)
_BRACKETED = re.compile(r"(?:\[[^\[\]]*+\]?|\{[^{}]*+\}?|\([^()]*+\)?|<[^<>\n]*+>?)\w*")
_BARE = re.compile(
    r"\\?[^\s\"'\\\[{(]\S*?(?=[)\]}>\"'\\,;.]{0,8}(?:\s|$)|(?:[,;](?-i:[a-z])|&[A-Za-z])[\w.-]{0,80}\\{0,8}[\"']?[=:]|&amp;|[\"']\s?[,/>])"
)
_REST_OF_LINE = re.compile(
    r"(?![^\n]{0,400}=)[^\n]{1,800}?(?=\s?\((?:[a-z]\w{0,40}\.){1,9}\w{1,80}\)\s*$|$)", re.MULTILINE
)
_BEFORE_ITEM = re.compile(r"[\[({,;]\s?\\{0,2}[\"']?\Z")
_WORDS_OF_ITEM = re.compile(
    r"[^\s\"'\\()\[\]{},;=]{1,200} [^\n\"'\\()\[\]{},;=]{1,400}?(?=\s?(?:[,;]\s?[\w.-]{1,80}\s?[=:]|[)\]}]))"
)
_WORD_BEHIND = re.compile(r"(?<=[\s,;])([^\s,;]{1,200})(?![^\s,;])")
_WORDS_OF_VALUES = 3


def spans(text: str) -> Iterator[Span]:
    """The positions of the values of secret names in `text`, in order."""
    done = 0
    found = _WORD.search(text)
    while found is not None:
        begin, end = _name_around(text, found, done)
        found = _weightiest(text, found, end)
        for start, stop in _values(text, begin, end, found):
            if stop > max(start, done):
                yield max(start, done), stop
                done = stop
        found = _WORD.search(text, max(end, done, found.end()))


def _weightiest(text: str, word: re.Match[str], end: int) -> re.Match[str]:
    """The first word of a name that surely means a secret, else its first word: `BASIC_AUTH_USER_INFO`."""
    if _MAY_MEAN_ANOTHER_THING.fullmatch(word[0]) is None:
        return word
    others = _WORD.finditer(text, word.end(), end)
    return next((one for one in others if _MAY_MEAN_ANOTHER_THING.fullmatch(one[0]) is None), word)


def _name_around(text: str, word: re.Match[str], after: int) -> Span:
    begin, least = word.start(), max(after, word.start() - _BEFORE)
    while begin > least and (text[begin - 1].isalnum() or text[begin - 1] in "_.-"):
        begin -= 1
    rest = _NAME.match(text, word.end())
    end = rest.end() if rest else word.end()
    while end > word.end() and text[end - 1] in ".-":  # punctuation of a sentence, or part of an arrow
        end -= 1
    return begin, end


def _values(text: str, begin: int, end: int, word: re.Match[str]) -> list[Span]:
    name = text[begin:end]
    if _PARTITION.search(name) or _NO_SECRET.search(name) or _ANOTHER_THING.match(text, begin):
        return []
    if word[0].lower() in ("license", "licence") and _LICENSE.match(text, end) is not None:
        return []
    is_sure = _MAY_MEAN_ANOTHER_THING.fullmatch(word[0]) is None
    found = (
        _before_name(text, begin)
        or _behind_sign(text, begin, end, word, is_sure)
        or _in_markup(text, begin, end)
        or _of_option(text, begin, end)
        or _in_words(text, begin, end, word)
    )
    if len(found) != 1:
        return found
    changed = _CHANGED_TO.match(text, found[0][1])
    return found + (_others_below(text, end, found[0]) if changed is None else _value(text, changed.end()))


def _others_below(text: str, end: int, first: Span) -> list[Span]:
    """The other values on the line below a name: all words of a line of a few words, else those that look like secrets."""
    if text.count("\n", end, first[0]) != 1 or "\n" in text[first[0] : first[1]]:
        return []
    words = list(_WORD_BEHIND.finditer(text, first[1], _end_of_line(text, first[1])))
    return [
        word.span(1)
        for word in words
        if word[1] != "[hidden]" and (len(words) < _WORDS_OF_VALUES or _SEEMS_ONE.fullmatch(word[1]))
    ]


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at, at + 1_000)
    return end if end >= 0 else min(len(text), at + 1_000)


def _behind_sign(text: str, begin: int, end: int, word: re.Match[str], is_sure: bool) -> list[Span]:
    """`name=value`, `name: value`, `name=…, value=…`."""
    name = text[begin:end]
    if (pair := _PAIR.match(text, end)) is not None:
        return _value(text, pair.end())
    if (fields := _FIELDS.match(text, end)) is not None and _NAMED.search(text[max(0, begin - 20) : begin]) is not None:
        return _value(text, fields.end())
    if (second := _SECOND.match(text, end)) is not None and _FIRST_OF_TWO.search(text[max(0, begin - 12) : begin]):
        is_quoted = text[second.end()] in "\"'\\"
        return _value(text, second.end()) if is_quoted or _SEEMS_ONE.match(text, second.end()) is not None else []
    if (cell := _CELL.match(text, end)) is not None:
        seems = _SEEMS_ONE.match(text, cell.end())
        return [] if seems is None or _NOTHING.match(text, cell.end()) is not None else [seems.span()]
    if (in_angles := _IN_ANGLES.match(text, end)) is not None:
        return [in_angles.span("value")]
    equals = _EQUALS.match(text, end)
    if equals is None:
        colon = _COLON.match(text, end)
        if colon is None or (not colon["quote"] and _WORD_AT_END.search(name) is None):
            return []
        seems = _SEEMS_ONE.match(text, colon.end()) or _QUOTED.match(text, colon.end())
        if seems is None and word[0].lower().endswith("auth"):
            seems = _USER_AND_PASSWORD.match(text, colon.end())
        doubtful = not is_sure or word[0].lower() in ("credential", "credentials") or name.lower().endswith("secrets")
        if (
            doubtful
            and not colon["quote"]
            and (seems is None or "elegation" in text[max(0, begin - 60) : begin] or text[:begin].endswith("for "))
        ):
            return []
        return _value(text, colon.end())
    if not is_sure and word[0].lower() not in ("token", "pw", "licence", "license", "creds", "cred"):
        seems = _SEEMS_ONE.match(text, equals.end()) or _QUOTED.match(text, equals.end())
        if seems is None and word[0].lower().endswith("auth"):
            seems = _USER_AND_PASSWORD.match(text, equals.end())
        if seems is None or (
            word[0] == "apiKey" and re.match(r"[A-Z_]+\b|\d+\b", text[equals.end() : equals.end() + 60])
        ):
            return []
    return _whole_line(text, begin, equals) or _whole_item(text, begin, equals.end()) or _value(text, equals.end())


def _whole_item(text: str, begin: int, at: int) -> list[Span]:
    """A value of several words in a list of settings: `{user=alice, password=correct horse, host=db}`."""
    if _BEFORE_ITEM.search(text[max(0, begin - 3) : begin]) is None or _NOTHING.match(text, at) is not None:
        return []
    item = _WORDS_OF_ITEM.match(text, at)
    return [] if item is None else [item.span()]


def _whole_line(text: str, begin: int, equals: re.Match[str]) -> list[Span]:
    """A value of several words, on a line that holds one setting."""
    if text[equals.end() : equals.end() + 1] in ("", '"', "'", "\\", "“") or "\n" in equals[0]:
        return []
    if not _begins_line(text, begin):
        return []
    rest = _REST_OF_LINE.match(text, equals.end())
    if (
        rest is None
        or " " not in rest[0].strip()
        or rest[0].startswith("[hidden]")
        or _is_nothing(text, equals.end(), rest[0].strip())
    ):
        return []
    return [(rest.start(), rest.start() + len(rest[0].rstrip()))]


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or (text[at - 1].isspace() and _BEGIN_OF_LINE.search(text[max(0, at - 200) : at]) is not None)


def _is_nothing(text: str, at: int, value: str) -> bool:
    nothing = _NOTHING.match(text, at)
    return nothing is not None and nothing.end() - at >= len(value)


def _value(text: str, at: int) -> list[Span]:
    """The value that begins at `at`; empty if nothing needs to be hidden."""
    if _NOTHING.match(text, at) is not None:
        return []
    if (of_type := _TYPE.match(text, at)) is not None:
        at = of_type.end()
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        begin, end = next(
            (quoted.span(name) for name, held in quoted.groupdict().items() if name != "escapes" and held is not None)
        )
        return [] if _HIDDEN.match(text, begin, end) is not None or begin == end else [(begin, end)]
    bracketed = _BRACKETED.match(text, at) or _BARE.match(text, at)
    return [] if bracketed is None else [bracketed.span()]


def _before_name(text: str, begin: int) -> list[Span]:
    """`{"value": "…", "name": "…"}`, `Invalid value … for configuration name`."""
    before = text[max(0, begin - 480) : begin]
    if "val" not in before and "Val" not in before and "VAL" not in before:
        return []
    found = _VALUE_FIRST.search(before) or _VALUE_OF.search(before)
    return (
        []
        if found is None
        else [(begin - len(before) + found.start("value"), begin - len(before) + found.end("value"))]
    )


def _in_markup(text: str, begin: int, end: int) -> list[Span]:
    before = text[max(0, begin - 160) : begin]
    if ("<" not in before and ">" not in before) or _IN_TAG.search(before) is None:
        return []
    element = _ELEMENT.match(text, end) or _ELEMENT_OF_NAME.match(text, end)
    if element is None or element["value"].startswith("[hidden]") or not element["value"].strip():
        return []
    return [element.span("value")]


_ELEMENT_OF_NAME = re.compile(r"</[\w:.-]{1,80}>\s{0,80}<[\w:.-]{1,80}>(?P<value>[^<\n]{1,2000})</")


def _of_option(text: str, begin: int, end: int) -> list[Span]:
    """`--password value`, `-storepass value`; the line of a properties file, `name value`."""
    if text[begin : begin + 1] == "-" and (begin == 0 or text[begin - 1].isspace() or text[begin - 1] in "\"'"):
        option = _OPTION.match(text, end)
        if option is not None and text[option.end() : option.end() + 1] not in ("-", ""):
            return _value(text, option.end()) if text[option.end() - 1] not in "\"'" else _value(text, option.end() - 1)
    name = text[begin:end]
    if _SHELL_SETS.search(text[max(0, begin - 20) : begin]) is not None and text[end : end + 1] == " ":
        return _value(text, end + 1)
    if _begins_line(text, begin):
        found = _PROPERTY.match(text, end) if "." in name else _ALIGNED.match(text, end)
        if found is not None and ("." in name or _SEEMS_ONE.match(text, found.end()) is not None):
            return _value(text, found.end())
    return []


def _in_words(text: str, begin: int, end: int, word: re.Match[str]) -> list[Span]:
    """`Set name to value`, `password changed from value to value`, `password for alice is value`: values in quotes,
    or that are not English words.
    """
    before = text[max(0, begin - 60) : begin]
    if (to := _TO.match(text, end)) is not None and _IS_SET.search(before) is not None:
        return _value(text, to.end() - (text[to.end() - 1] in "\"'"))
    if word.end() < end and "." not in text[begin:end] and "_" not in text[begin:end]:
        return []
    if _IN_SENTENCES.fullmatch(word[0].rstrip("s")) is None:
        return []
    changed = _FROM_TO.match(text, end)
    if changed is not None:
        both = [changed.span(name) for name in ("old", "new") if _SEEMS_ONE.match(changed[name])]
        if both:
            return both
    sentence = _SENTENCE.match(text, end)
    if sentence is None:
        return []
    at = sentence.end()
    if text[at - 1] in "\"'":
        close = text.find(text[at - 1], at, at + 200)
        if word[0].lower() == "secret" and _OBJECT_OF_KUBERNETES.match(text, close) is not None:
            return []
        return (
            [(at, close)] if close > at and "\n" not in text[at:close] and not text.startswith("[hidden]", at) else []
        )
    seems = _SEEMS_ONE.match(text, at)
    return [] if seems is None or text.startswith("[hidden]", at) else [seems.span()]
