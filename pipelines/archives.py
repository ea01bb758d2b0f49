"""Unpacks archives into files with plain names in the work folder. Nothing is ever written to the path in a member's
name.

`Limits` bounds what an archive may cost. An archive that exceeds the limits is set aside as a whole. A truncated or
damaged archive is read as far as possible, with a note. A full disk is not a fault of the archive: it ends the run.
"""

from __future__ import annotations

import bz2
import lzma
import stat
import tarfile
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Protocol, cast, runtime_checkable

from pipelines.room import SPARE_BYTES, Room, own_writes

_CHUNK = 1 << 14  # a truncated tar can lose this much of its last file
_MOST_PADDING = 64 << 20
_READS_BEHIND_THE_END = 16
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
)
_FOREIGN_MAGIC = (
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x04\x22\x4d\x18", "LZ4"),
    (b"\x1f\x9d", "compress"),
)
_NOT_FOR_LOGS = (".jar", ".war", ".whl", ".docx", ".xlsx", ".pptx", ".odt", ".apk", ".class")
_MEMBER_MAGIC = {"gzip": b"\x1f\x8b\x08", "bzip2": b"BZh", "xz": b"\xfd7zXZ\x00"}
_DAMAGE = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
    ValueError,
    NotImplementedError,
)


@dataclass(frozen=True)
class Limits:
    """What one archive may unpack to: total bytes, ratio to its own size (checked from `ratio_from` bytes on),
    number of files, depth of nested archives.
    """

    total_bytes: int = 64 << 30
    ratio: int = 250
    ratio_from: int = 64 << 20
    members: int = 50_000
    depth: int = 3
    spare_bytes: int = SPARE_BYTES


@dataclass(frozen=True)
class Member:
    """A file of an archive: its current path, and its name, `archive/member`."""

    path: Path
    name: str


@dataclass
class Unpacked:
    """The content of one archive. `set_aside` and `remarks` are pairs of a name and a line about it."""

    members: list[Member] = field(default_factory=list)
    set_aside: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)


class _TooMuch(Exception):
    """The archive goes beyond a limit; its text says which."""


def kind_of(head: bytes, name: str) -> str | None:
    """The format of an archive or compressed file: `gzip`, `bzip2`, `xz`, `zip`, `tar`; None for any other file."""
    if name.lower().endswith(_NOT_FOR_LOGS):
        return None
    if head[257:262] == b"ustar":
        return "tar"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


def foreign_kind_of(head: bytes) -> str | None:
    """The name of an unsupported archive or compression format; None for any other file."""
    return next((kind for magic, kind in _FOREIGN_MAGIC if head.startswith(magic)), None)


def unpack(archive: Path, name: str, folder: Path, limits: Limits = Limits(), room: Room | None = None) -> Unpacked:
    """The files in `archive` (called `name` in the tables), unpacked into `folder`. Nested archives are unpacked up
    to `limits.depth`.

    `room` counts the space of all archives of a run. Raises OutputError if `folder` cannot be written or has too
    little space.
    """
    unpacked = Unpacked()
    with own_writes(folder):
        folder.mkdir(parents=True, exist_ok=True)
    work = _Work(folder, limits, archive.stat().st_size, room or Room(folder, limits.spare_bytes))
    try:
        _unpack(archive, name, work, unpacked, depth=1)
    except _TooMuch as error:
        for path in work.written:
            path.unlink(missing_ok=True)
        return Unpacked(set_aside=[(name, f"{error}: not read; unpack it yourself and give the folder")])
    return unpacked


@dataclass
class _Work:
    """The folder that members are written to, and how much of the limits is used."""

    folder: Path
    limits: Limits
    packed_bytes: int
    room: Room
    spent_bytes: int = 0
    members: int = 0
    written: list[Path] = field(default_factory=list)

    def count(self) -> None:
        self.members += 1
        if self.members > self.limits.members:
            raise _TooMuch(f"it holds more than {self.limits.members:,} files")

    def next_path(self) -> Path:
        self.count()
        path = self.folder / f"{self.members - 1:06d}"
        self.written.append(path)
        return path

    def spend(self, count: int) -> None:
        self.spent_bytes += count
        limits = self.limits
        if self.spent_bytes > limits.total_bytes:
            raise _TooMuch(f"it unpacks to more than {limits.total_bytes >> 20:,} MB")
        if self.spent_bytes > limits.ratio_from and self.spent_bytes > limits.ratio * self.packed_bytes:
            raise _TooMuch(f"it unpacks to more than {limits.ratio} times its size")
        self.room.take(count)


def _unpack(archive: Path, name: str, work: _Work, unpacked: Unpacked, depth: int) -> None:
    with archive.open("rb") as stream:
        kind = kind_of(stream.read(512), name)
    if depth > work.limits.depth:
        unpacked.set_aside.append((name, f"an archive within {depth - 1} others: not read; unpack it first"))
        return
    try:
        if kind == "zip":
            _unzip(archive, name, work, unpacked, depth)
        elif kind == "tar":
            with archive.open("rb") as stream:
                _untar(stream, name, work, unpacked, depth)
        else:
            _decompress(archive, name, kind or "gzip", work, unpacked, depth)
    except _TooMuch:
        raise
    except _DAMAGE as error:
        unpacked.set_aside.append((name, f"cannot be unpacked: {_reason(error)}"))


def _decompress(archive: Path, name: str, kind: str, work: _Work, unpacked: Unpacked, depth: int) -> None:
    """Unpacks one compressed file, or the files of the tar in it."""
    with archive.open("rb") as file:
        try:
            is_tar = _Unpacking(file, kind).read(512)[257:262] == b"ustar"
        except _DAMAGE:
            is_tar = False
        file.seek(0)
        stream = _Unpacking(file, kind)
        if is_tar:
            _untar(stream, name, work, unpacked, depth)
            with suppress(*_DAMAGE):
                for _ in range(_MOST_PADDING >> 20):  # after the last file of the tar
                    if not stream.read(1 << 20):
                        break
        else:
            _keep(stream, name, work, unpacked, depth)
        if stream.foreign_bytes:
            unpacked.remarks.append(
                (name, f"has {stream.foreign_bytes:,} bytes after its end that are not {kind}: left out")
            )


class _Decompressor(Protocol):
    """The common interface of zlib, bz2 and lzma."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


@runtime_checkable
class _Rewindable(_Decompressor, Protocol):
    """A decompressor that can be copied and resumed from the copy; only zlib's can."""

    @property
    def unconsumed_tail(self) -> bytes: ...

    def copy(self) -> _Rewindable: ...


class _Unpacking:
    """The uncompressed bytes of a compressed file, one compressed member after the other.

    Everything that can be unpacked is returned before a fault is raised; the library's own readers drop it.
    `foreign_bytes`: how many bytes follow the last member.
    """

    def __init__(self, file: IO[bytes], kind: str) -> None:
        self._file, self._kind = file, kind
        self._member: _Decompressor | None = None
        self._packed, self._ready = b"", b""
        self._ended = self._had_member = False
        self._fault: BaseException | None = None
        self.foreign_bytes = 0

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, fewer at the end. Raises one of `_DAMAGE` if the data breaks off."""
        while len(self._ready) < size and not self._ended and self._fault is None:
            try:
                self._ready += self._next()
            except _DAMAGE as error:
                self._fault = error
        if self._fault is not None and not self._ready:
            raise self._fault
        given, self._ready = self._ready[:size], self._ready[size:]
        return given

    def _next(self) -> bytes:
        if self._member is None and not self._begin():
            self._ended = True
            return b""
        assert self._member is not None
        if not self._packed and getattr(self._member, "needs_input", True):
            self._packed = self._file.read(_CHUNK)
            if not self._packed:
                if rest := self._member.decompress(b"", _CHUNK):
                    return rest
                raise EOFError("it ends before its end mark")
        text = self._decompressed(self._member)
        self._packed = getattr(self._member, "unconsumed_tail", b"")  # zlib's; the others keep it themselves
        if self._member.eof:
            self._packed = self._member.unused_data
            self._member, self._had_member = None, True
        return text

    def _decompressed(self, member: _Decompressor) -> bytes:
        """The next bytes. If they contain a fault, the bytes before it; only zlib can go back to look for them."""
        if not isinstance(member, _Rewindable):
            return member.decompress(self._packed, _CHUNK)
        before = member.copy()
        try:
            return member.decompress(self._packed, _CHUNK)
        except zlib.error as error:
            self._fault = error
            text = bytearray()
            with suppress(zlib.error):
                while (step := before.decompress(self._packed, 1)) or before.unconsumed_tail:
                    text += step
                    self._packed = before.unconsumed_tail
            return bytes(text)

    def _begin(self) -> bool:
        """Begins the next member. Returns whether there is one.

        Zeros between and after members are skipped: tapes and some copy tools add them.
        """
        magic = _MEMBER_MAGIC[self._kind]
        while True:
            self._packed = self._packed.lstrip(b"\0") if self._had_member else self._packed
            if len(self._packed) >= len(magic):
                break
            more = self._file.read(_CHUNK)
            if not more:
                break
            self._packed += more
        if self._had_member and not self._packed.startswith(magic):
            self.foreign_bytes = len(self._packed)
            while more := self._file.read(1 << 20):
                self.foreign_bytes += len(more)
            return False
        self._member = _decompressor(self._kind)
        return True


def _decompressor(kind: str) -> _Decompressor:
    if kind == "gzip":
        return zlib.decompressobj(wbits=31)
    return bz2.BZ2Decompressor() if kind == "bzip2" else lzma.LZMADecompressor(lzma.FORMAT_XZ)


class _Ending:
    """A stream that ends even if a tar claims to be longer than it is."""

    def __init__(self, stream: IO[bytes] | _Unpacking) -> None:
        self._stream, self._left = stream, _READS_BEHIND_THE_END

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, fewer at the end. Raises EOFError after many reads past the end."""
        content = self._stream.read(size)
        self._left -= not content
        if self._left < 0:
            raise EOFError("a file in it is longer than the archive")
        return content


def _printable(name: str) -> str:
    r"""The name of a member as text: bytes that are not UTF-8 are shown as `\xe9`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _untar(stream: IO[bytes] | _Unpacking, name: str, work: _Work, unpacked: Unpacked, depth: int) -> None:
    """Unpacks members in the order of the stream, so that a truncated tar is read as far as possible."""
    read = 0
    try:
        with tarfile.open(
            fileobj=cast(IO[bytes], _Ending(stream)), mode="r|"
        ) as tar:  # tarfile calls only `read` on a stream
            for member in tar:
                if member.isdir():
                    work.count()
                    continue
                inside = f"{name}/{_printable(member.name)}"
                if not member.isreg():
                    unpacked.set_aside.append((inside, "a link or a device, which no archive of logs needs: refused"))
                elif _leads_out(member.name):
                    unpacked.set_aside.append((inside, "its name leads out of the archive: refused"))
                elif not member.size:
                    work.count()
                    unpacked.set_aside.append((inside, "empty"))
                elif not _litter(member.name):
                    content = tar.extractfile(member)
                    if content is not None:
                        _keep(content, f"{name}/{PurePosixPath(_printable(member.name))}", work, unpacked, depth)
                read += 1
    except _TooMuch:
        raise
    except _DAMAGE as error:
        unpacked.remarks.append(
            (name, f"is cut short or damaged after {read} files ({_reason(error)}): the rest is missing")
        )


def _unzip(archive: Path, name: str, work: _Work, unpacked: Unpacked, depth: int) -> None:
    with zipfile.ZipFile(archive) as file:
        for member in file.infolist():
            inside = f"{name}/{member.filename}"
            if member.is_dir() or _litter(member.filename):
                continue
            if member.flag_bits & 0x1:
                unpacked.set_aside.append((inside, "encrypted: not read; unpack it first"))
            elif stat.S_ISLNK(member.external_attr >> 16):
                unpacked.set_aside.append((inside, "a link or a device, which no archive of logs needs: refused"))
            elif _leads_out(member.filename):
                unpacked.set_aside.append((inside, "its name leads out of the archive: refused"))
            else:
                try:
                    with file.open(member) as content:
                        _keep(content, inside, work, unpacked, depth)
                except _TooMuch:
                    raise
                except _DAMAGE as error:
                    unpacked.set_aside.append((inside, f"cannot be unpacked: {_reason(error)}"))


def _keep(content: IO[bytes] | _Unpacking, name: str, work: _Work, unpacked: Unpacked, depth: int) -> None:
    """Writes one member, as far as it can be read; if it is an archive itself, unpacks it."""
    path = work.next_path()
    fault: BaseException | None = None
    size = 0
    with own_writes(work.folder):
        out = path.open("wb", buffering=0)
    with out:
        while True:
            try:
                chunk = content.read(_CHUNK)
            except _DAMAGE as error:
                fault = error
                break
            if not chunk:
                break
            work.spend(len(chunk))
            with own_writes(work.folder):
                out.write(chunk)
            size += len(chunk)
    if fault is not None and not size:
        unpacked.set_aside.append((name, f"cannot be unpacked: {_reason(fault)}"))
        return
    if fault is not None:
        unpacked.remarks.append(
            (name, f"is cut short or damaged ({_reason(fault)}): read up to the damage, {size:,} bytes")
        )
    with path.open("rb") as stream:
        packed = kind_of(stream.read(512), name)
    if packed:
        _unpack(path, name, work, unpacked, depth + 1)
    else:
        unpacked.members.append(Member(path, name))


def _leads_out(member: str) -> bool:
    parts = PurePosixPath(member.replace("\\", "/"))
    return parts.is_absolute() or ".." in parts.parts or (len(member) > 1 and member[1] == ":")


def _litter(member: str) -> bool:
    """Whether a member is metadata that macOS adds to archives."""
    return member.startswith("__MACOSX/") or PurePosixPath(member).name.startswith("._")


def _reason(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
