"""A substitute for serverless compute: a Spark Connect server behind a gate that rejects what serverless compute
rejects.

The server is a separate process, of another user if this process may start one, with its own temporary folder. Of
the client's files it sees only the volume: its own mounts hide the others, if the system allows that. The gate
forwards the client's requests and rejects, as Databricks documents for serverless compute: all settings but a few,
`file:` paths, persisted frames, archives of Python code, and local relations of more than 128 MB.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pyspark
from google.protobuf.message import Message
from pyspark.sql.connect.proto import base_pb2, commands_pb2, relations_pb2

from pipelines import delta
from pipelines.java import find_java
from pipelines.package import root

ALLOWED_SETTINGS = frozenset(
    {
        "spark.databricks.execution.timeout",
        "spark.sql.ansi.enabled",
        "spark.sql.legacy.timeParserPolicy",
        "spark.sql.session.timeZone",
        "spark.sql.shuffle.partitions",
    }
)
LOCAL_BYTES = 128 << 20
_SERVICE = base_pb2.DESCRIPTOR.services_by_name["SparkConnectService"]
_ANY_SIZE = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
_NOBODY = 65_534


@dataclass
class Gate:
    """The accepted requests, by kind, and the rejected ones, each with its reason."""

    passed: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    largest_local: int = 0

    def reason(self, request: Message) -> str | None:
        """Why serverless compute rejects a request; None if it accepts it."""
        if isinstance(request, base_pb2.ConfigRequest):
            return self._of_settings(request.operation)
        if isinstance(request, base_pb2.AddArtifactsRequest):
            return "takes no archives of Python code: the environment holds the packages"
        if isinstance(request, base_pb2.AnalyzePlanRequest) and request.WhichOneof("analyze") in (
            "persist",
            "unpersist",
        ):
            return "persists no frames"
        for part in _parts(request):
            if (reason := self._of_part(part)) is not None:
                return reason
        return None

    @staticmethod
    def _of_settings(operation: base_pb2.ConfigRequest.Operation) -> str | None:
        kind = operation.WhichOneof("op_type")
        if kind == "set":
            named = [pair.key for pair in operation.set.pairs]
        else:
            named = list(operation.unset.keys) if kind == "unset" else []
        other = sorted(set(named) - ALLOWED_SETTINGS)
        return f"does not let {', '.join(other)} change" if other else None

    def _of_part(self, part: Message) -> str | None:
        if isinstance(part, relations_pb2.LocalRelation):
            self.largest_local = max(self.largest_local, len(part.data))
            return "takes no local relation of more than 128 MB" if len(part.data) > LOCAL_BYTES else None
        if isinstance(part, relations_pb2.Read.DataSource):
            paths = list(part.paths)
        else:
            paths = [part.path] if isinstance(part, commands_pb2.WriteOperation) else []
        own = next((path for path in paths if path.startswith("file:")), None)
        return f"opens no file of its machine: {own}" if own else None


def _parts(message: Message) -> Iterator[Message]:
    """A message and all messages within it."""
    waiting = [message]
    while waiting:
        one = waiting.pop()
        yield one
        for described, value in one.ListFields():
            if described.type != described.TYPE_MESSAGE:
                continue
            if described.message_type.GetOptions().map_entry:
                waiting += [part for part in value.values() if isinstance(part, Message)]
            else:
                waiting += [value] if isinstance(value, Message) else list(value)


class _Forwarding(grpc.GenericRpcHandler):
    """Forwards each call to the server, unless `gate` has a reason against it."""

    def __init__(self, server: grpc.Channel, gate: Gate) -> None:
        self._server, self._gate = server, gate

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        method = _SERVICE.methods_by_name.get(details.method.rpartition("/")[2])
        if method is None:
            return None
        kind = f"{'stream' if method.client_streaming else 'unary'}_{'stream' if method.server_streaming else 'unary'}"
        call = getattr(self._server, kind)(details.method)
        message = getattr(base_pb2, method.input_type.name)

        def forwarded(request: Any, context: grpc.ServicerContext) -> Any:
            streamed = list(request) if method.client_streaming else [request]
            for one in streamed:
                self._check(method.name, message.FromString(one), context)
            answer = call(iter(streamed) if method.client_streaming else request, metadata=_own(details))
            return _or_aborts(lambda: answer, context) if not method.server_streaming else _each(answer, context)

        def unary(request: Any, context: grpc.ServicerContext) -> Any:
            return _or_aborts(lambda: forwarded(request, context), context)

        return getattr(grpc, f"{kind}_rpc_method_handler")(forwarded if method.server_streaming else unary)

    def _check(self, name: str, request: Message, context: grpc.ServicerContext) -> None:
        reason = self._gate.reason(request)
        if reason is not None:
            self._gate.refused[reason] += 1
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"serverless compute {reason}")
        self._gate.passed[name] += 1


def _own(details: grpc.HandlerCallDetails) -> list[tuple[str, str]]:
    return [(key, value) for key, value in details.invocation_metadata if not key.startswith(("grpc-", "user-agent"))]


def _or_aborts(answer: Callable[[], Any], context: grpc.ServicerContext) -> Any:
    try:
        return answer()
    except grpc.RpcError as error:
        context.set_trailing_metadata(error.trailing_metadata() or ())
        context.abort(error.code(), error.details())


def _each(answers: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
    while True:
        try:
            yield next(answers)
        except StopIteration:
            return
        except grpc.RpcError as error:
            context.set_trailing_metadata(error.trailing_metadata() or ())
            context.abort(error.code(), error.details())


@dataclass
class Serverless:
    """The address for the client, the gate, whether the client's files are hidden from the server, and whether it
    has Delta's classes.
    """

    remote: str
    gate: Gate
    is_apart: bool
    has_delta: bool
    log: Path


@contextmanager
def serverless(folder: Path, delta_jars: Sequence[Path] = ()) -> Iterator[Serverless]:
    """A server whose files are in `folder`. With Delta's jars its catalog has Delta tables, as serverless compute
    has.
    """
    user = _NOBODY if _can_run_as(_NOBODY) else os.getuid()
    is_apart = subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
    private, port, outside = folder / "server", _free_port(), _free_port()
    environment = _environment(private)
    jars = [shutil.copy(jar, private / "jars") for jar in delta_jars]
    for path in (folder, private, *(own for own in private.iterdir())):
        os.chown(path, user, -1)
    server = _started(private, port, environment, user, is_apart, jars)
    gate = Gate()
    try:
        _wait(port, server, private / "server.txt")
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=_ANY_SIZE) as channel:
            proxy = grpc.server(ThreadPoolExecutor(32), options=_ANY_SIZE)
            proxy.add_generic_rpc_handlers((_Forwarding(channel, gate),))
            proxy.add_insecure_port(f"127.0.0.1:{outside}")
            proxy.start()
            yield Serverless(f"sc://127.0.0.1:{outside}", gate, is_apart, bool(jars), private / "server.txt")
            proxy.stop(1).wait()
    finally:
        os.killpg(server.pid, 9)
        server.wait()


def _environment(private: Path) -> Path:
    """An environment with the project's packages and nothing else of it, as a wheel installs them on serverless
    compute.
    """
    installed = private / "environment"
    for name in ("kafka_replay", "replay", "pipelines", "viz"):
        shutil.copytree(root() / name, installed / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tmp", "home", "warehouse", "jars"):
        (private / name).mkdir()
    return installed


def _started(
    private: Path, port: int, environment: Path, user: int, is_apart: bool, delta_jars: list[str]
) -> subprocess.Popen[bytes]:
    settings = {
        "spark.master": "local[2]",
        "spark.driver.memory": "2g",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.grpc.maxInboundMessageSize": str(1 << 30),
        "spark.ui.enabled": "false",
        "spark.local.dir": str(private / "tmp"),
        "spark.sql.warehouse.dir": str(private / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={private / 'tmp'}",
    }
    settings |= {"spark.jars": ",".join(delta_jars), **delta.OUR_SESSION} if delta_jars else {}
    submit = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit")]
    submit += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    submit += [word for pair in settings.items() for word in ("--conf", "=".join(pair))]
    env = {
        "PATH": os.environ["PATH"],
        "JAVA_HOME": str(Path(find_java()).parent.parent),
        "HOME": str(private / "home"),
        "TMPDIR": str(private / "tmp"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys._base_executable,  # of no virtual environment: what that has by links is not installed here
        "PYTHONPATH": f"{environment}:{sysconfig.get_path('purelib')}",
    }
    with (private / "server.txt").open("wb") as log:
        return subprocess.Popen(
            [*(_apart() if is_apart else ()), *_as(user), *submit],
            env=env,
            cwd=private / "tmp",
            stdout=log,
            stderr=log,
            umask=0,  # a volume has no owners and no modes
            start_new_session=True,
        )


def _apart() -> list[str]:
    """A command prefix that hides this machine's temporary files, the sources and the recordings from the command."""
    hidden = [
        tempfile.gettempdir(),
        *(str(root() / name) for name in ("kafka_replay", "replay", "pipelines", "viz", "tests", "traces")),
    ]
    mounts = " && ".join(f"mount -t tmpfs tmpfs {shlex.quote(folder)}" for folder in hidden)
    return ["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh"]


def _as(user: int) -> list[str]:
    """A command prefix that runs the command as another user."""
    return [] if user == os.getuid() else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


def _can_run_as(user: int) -> bool:
    """Whether this process may start others as `user`, and that user can read Spark and the interpreter."""
    if os.getuid() != 0:
        return False
    ask = [sys._base_executable, "-c", "import pyspark, pyarrow"]
    env = {"PYTHONPATH": sysconfig.get_path("purelib")}
    try:
        return subprocess.run(ask, user=user, cwd="/", env=env, capture_output=True).returncode == 0
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _wait(port: int, server: subprocess.Popen[bytes], log: Path, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert server.poll() is None, log.read_text()[-3_000:]
        time.sleep(0.3)
    raise AssertionError(f"the server does not answer: {log.read_text()[-3_000:]}")
