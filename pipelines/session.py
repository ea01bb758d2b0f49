"""The Spark session: UTC, sized for one machine, with GraphFrames' classes; or a notebook's existing session."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlparse

import pyspark
from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.pandas.utils import require_minimum_pyarrow_version

from pipelines import delta, memory, package
from pipelines.java import check_user, class_archive, find_java
from pipelines.java_process import FETCH_SECONDS, START_SECONDS, JavaProcess
from pipelines.memory import MEMORY_SETTING
from pipelines.scratch import process_folder
from pipelines.text_files import PART_BYTES
from replay.errors import SetupError

# GraphFrames 0.9.2 for Spark 4; a site may prefer io.graphframes:graphframes-spark4_2.13:<version>.
GRAPHFRAMES_PACKAGE = "org.apache.sedona:sedona-spark-shaded-4.0_2.13:1.8.0"
GRAPHFRAMES_SHA256 = "c847cec67cd06b43c7a2f67086fa56fd6044564a539128e598cf68262fe53a2f"  # of its jar on Maven Central
GRAPHFRAMES_SETTING = "KAFKA_REPLAY_GRAPHFRAMES"
SMALL_BYTES = 64 * 1024 * 1024  # up to here planning and compiling queries costs more than running them

_PACKED, _SHRANK = (".gz", ".tgz", ".zip", ".bz2", ".xz", ".zst", ".7z"), 20  # files that hold more text than bytes

_CONFIG = {
    "spark.sql.session.timeZone": "UTC",  # stamps are read as UTC first; zones are applied by replay.clocks
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # instants in UTC for every reader, as pyarrow writes them
    "spark.sql.ansi.enabled": "true",  # a wrong cast is a fault of this program, not a null
    "spark.sql.codegen.wholeStage": "false",  # the parser's expressions are too large for one Java method; compiling them fails late
    "spark.sql.constraintPropagation.enabled": "false",  # Spark 4.1 fails on constraints of a union of unions; and they cost a twentieth of a small run
    "spark.sql.debug.maxToStringFields": "0",  # otherwise each job describes its plan to listeners without a reader
    "spark.sql.ui.explainMode": "simple",  # the same: in full it took a tenth of a small run
    "spark.sql.files.openCostInBytes": "262144",  # many small files share a task
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",  # list files on the driver, not by a job
    "spark.sql.execution.arrow.pyspark.enabled": "true",  # small tables go to pandas without a detour
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # call sites of every column cost more than the columns
    "spark.ui.enabled": "false",  # no port, no page: this is a command
    "spark.ui.showConsoleProgress": "false",  # the stages report progress themselves
    "spark.sql.catalogImplementation": "in-memory",
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",  # the other one starts a `chmod` for each file and folder, five a table
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",  # fifty tables: one more file each
}
# Spark's driver and block manager listen on the machine's own address if nothing names another one. A cluster's
# executors need that; a session on one machine does not.
_LOOPBACK = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
_AT_START = (
    "spark.sql.catalogImplementation",
    "spark.sql.ui.explainMode",
)  # settings that Spark accepts only at its start
_OPTIMIZER = "org.apache.spark.sql.catalyst.optimizer"
_OF_NO_USE_TO_SMALL_TABLES = (
    "MergeScalarSubqueries",
    "OptimizeOneRowRelationSubquery",
    "FoldablePropagation",
    "InferFiltersFromGenerate",
    "RewriteAsOfJoin",
    "PushFoldableIntoBranches",
    "LikeSimplification",
    "ReassignLambdaVariableID",
    "DecimalAggregates",
    "OptimizeRepartition",
    "UnwrapCastInBinaryComparison",
    "SimplifyBinaryComparison",
    "ReplaceNullWithFalseInPredicate",
    "EliminateSorts",
    "TransposeWindow",
)
_SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",  # one partition needs no second plan
    "spark.sql.autoBroadcastJoinThreshold": "-1",  # a broadcast is a separate job: tables of one partition are joined in place
    "spark.sql.optimizer.disableHints": "true",  # the same for hints of stages with large inputs
    "spark.sql.join.preferSortMergeJoin": "false",  # also nothing to sort
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # hundreds of small, different queries: none runs long enough to be worth compiling
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",  # this and the next ones search each plan for optimizations that small tables do not need
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    "spark.sql.optimizer.nestedSchemaPruning.enabled": "false",
    "spark.sql.optimizer.enableCsvExpressionOptimization": "false",
    "spark.sql.optimizer.enableJsonExpressionOptimization": "false",
    "spark.sql.variant.pushVariantIntoScan": "false",
    "spark.sql.readSideCharPadding": "false",
    "spark.sql.optimizer.excludedRules": ",".join(f"{_OPTIMIZER}.{rule}" for rule in _OF_NO_USE_TO_SMALL_TABLES),
    "spark.buffer.pageSize": "1m",  # every sort and aggregate takes a whole page: pages of 64 MB for a hundred rows keep the collector busy
}
_SMALL_JAVA = "-XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m"
# Planning always runs new code: in one run over a small input Java's second compiler would use more time than it
# saves; from the third run on it pays.
_ONE_RUN_JAVA = "-XX:TieredStopAtLevel=1"
_SMALL_HEAP = "-XX:MetaspaceSize=256m -Xms1g -Xmn600m"  # full size at once: growth means repeated collections
# Arrow checks the bounds of every value that Spark writes; Spark itself grows its vectors as needed. Java's second
# compiler compiles only methods that are called eight times as often as usual: others run in too few jobs to repay it.
_LARGE_JAVA = (
    "-XX:+UseParallelGC -Darrow.enable_unsafe_memory_access=true -Darrow.enable_null_check_for_get=false "
    "-XX:Tier4InvocationThreshold=40000 -XX:Tier4MinInvocationThreshold=5000 -XX:Tier4CompileThreshold=120000"
)
# If the system grants large pages on request, Java's heap requests them: in a virtual machine each fault of a small
# page is expensive. Java's own messages go to its standard error: the output is ours.
_ANY_JAVA = "-XX:+IgnoreUnrecognizedVMOptions -XX:+UseTransparentHugePages -XX:+DisplayVMOutputToStderr -Xlog:disable -Xlog:all=warning:stderr"
# When memory runs out Java ends at once: a half-working Java answers nothing and keeps its resources. No crash file
# next to ours.
_ANY_JAVA += " -XX:+ExitOnOutOfMemoryError -XX:-UsePerfData"
# Classes that PySpark looks up in Java at every column, by each name that it uses for them.
_ASKED_FOR = {
    "org.apache.spark.sql.functions": ("functions", "org.apache.spark.sql.functions"),
    "org.apache.spark.api.python.PythonUtils": ("PythonUtils",),
    "org.apache.spark.sql.api.python.PythonSQLUtils": ("PythonSQLUtils",),
}
_LARGE = {
    "spark.sql.shuffle.partitions": "32",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.files.maxPartitionBytes": str(
        PART_BYTES
    ),  # as large as a piece of a large file: no core ends long before the others
}


def run_settings(input_bytes: int) -> dict[str, str]:
    """The settings that a run over `input_bytes` changes in an existing session."""
    wanted = _CONFIG | (_SMALL if input_bytes <= SMALL_BYTES else _LARGE)
    return {name: value for name, value in wanted.items() if name.startswith("spark.sql.") and name not in _AT_START}


class _Known:
    """A Java class with cached members: PySpark looks up class and member again at every column, and each lookup is
    a round trip to Java.
    """

    def __init__(self, java_class: JavaClass) -> None:
        self._java_class = java_class

    def __getattr__(self, name: str) -> object:
        member = getattr(self._java_class, name)
        setattr(self, name, member)
        return member


def session(
    graphframes: str | None = None,
    *,
    input_bytes: int = 0,
    stays: bool = False,
    learn: Path | None = None,
    writes_delta: bool = False,
) -> SparkSession:
    """The active Spark session, or a local one with GraphFrames' classes, tuned for inputs of `input_bytes`.

    `graphframes`: a Maven coordinate or the path of a jar; by default `$KAFKA_REPLAY_GRAPHFRAMES`, else
    `GRAPHFRAMES_PACKAGE`. `stays`: more than one run is to come. `learn`: the file to which Java writes its loaded
    classes when it ends. `writes_delta`: load Delta's classes (`pipelines.delta.classes`). Raises SetupError if
    there is no Java or if classes cannot be loaded.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return _submitted(input_bytes)
    _check_pyarrow()
    conf, wanted, jar = _settings(graphframes, input_bytes, stays, learn, writes_delta)
    spark = _started_with_classes(conf, wanted, jar)
    _make_fast(spark, only_run=input_bytes <= SMALL_BYTES and not stays)
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).disabled = True  # errors are reported once, by their handler
    return spark


def begin(inputs: Iterable[Path], graphframes: str | None = None, *, writes_delta: bool = False) -> None:
    """Start the Java of a session for these inputs if they look small and no Java runs. It starts while this process
    imports modules and inspects the files; `session` connects to it, or reports why it did not start.
    """
    is_there = bool(_begun) or SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ
    if not is_there and _look_small(inputs):
        with suppress(SetupError, OSError):
            conf, _, _ = _settings(graphframes, 0, False, None, writes_delta)
            _begun.append(JavaProcess(conf, process_folder(), _seconds_for(conf)))


def end_begun() -> None:
    """End the Java that `begin` started, if no session is connected to it."""
    while _begun:
        _begun.pop().end(at_once=True)


def _look_small(inputs: Iterable[Path]) -> bool:
    """Whether all inputs are local and hold little text; a compressed file counts as twenty times its size."""
    size = 0
    for path in inputs:
        if not path.exists():
            return False
        files = (
            [path] if path.is_file() else (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
        )
        for file in files:
            with suppress(OSError):
                size += file.stat().st_size * (_SHRANK if file.suffix.lower() in _PACKED else 1)
            if size > SMALL_BYTES:
                return False
    return True


def _settings(
    graphframes: str | None, input_bytes: int, stays: bool, learn: Path | None, writes_delta: bool
) -> tuple[dict[str, str], str, str | None]:
    """The settings of Java and of the session, the requested GraphFrames classes, and the path of their jar if it is
    on this machine.
    """
    check_user()
    java = find_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    wanted = graphframes or os.environ.get(GRAPHFRAMES_SETTING) or GRAPHFRAMES_PACKAGE
    if wanted.endswith(".jar") and not Path(wanted).is_file():
        raise SetupError(
            f"{wanted}: no such file; {GRAPHFRAMES_SETTING} names a Maven coordinate or a jar with GraphFrames' classes"
        )
    small, given = input_bytes <= SMALL_BYTES, memory.given()
    java_options = " ".join(_java_options(class_archive(java), small, stays, given is None, learn))
    conf = _CONFIG | (_SMALL if small else _LARGE) | _own_settings(given or memory.usual(input_bytes), java_options)
    jar = graphframes_jar() if wanted == GRAPHFRAMES_PACKAGE else None
    return conf | _classes(jar or wanted, writes_delta), wanted, jar


def _seconds_for(conf: Mapping[str, str]) -> float:
    return FETCH_SECONDS if "spark.jars.packages" in conf else START_SECONDS


def _own_settings(driver_memory: str, java_options: str) -> dict[str, str]:
    """The settings of this process's own session."""
    folder, master = process_folder(), os.environ.get("SPARK_MASTER", "local[*]")
    settings = {
        "spark.app.name": "kafka-replay",
        "spark.master": master,
        "spark.driver.memory": driver_memory,
        "spark.driver.extraJavaOptions": f'{java_options} "-Djava.io.tmpdir={folder}"',
        "spark.local.dir": str(folder),
    }
    if master.startswith("local"):
        settings["spark.executorEnv.PYTHONPATH"] = str(package.root())  # workers run the code that this process runs
        settings |= _LOOPBACK
    if re.fullmatch(r"local(?:\[[^\]]*\])?", master):
        settings["spark.authenticate"] = "true"  # Spark makes the secret itself; it appears on no command line
    return settings


def _classes(graphframes: str, writes_delta: bool) -> dict[str, str]:
    """The settings that load GraphFrames' classes, and Delta's if `writes_delta`: jars and Maven coordinates."""
    named = [graphframes, *(delta.classes().split(",") if writes_delta else ())]
    jars = [name for name in named if name.endswith(".jar")]
    packages = [name for name in named if not name.endswith(".jar")]
    settings = {"spark.jars": ",".join(jars), "spark.jars.packages": ",".join(packages)}
    return {name: value for name, value in settings.items() if value} | (delta.OUR_SESSION if writes_delta else {})


def _started_with_classes(conf: dict[str, str], wanted: str, jar: str | None) -> SparkSession:
    """Start Spark while the jar of GraphFrames is checked. Raises SetupError if it is not the pinned one."""
    with ThreadPoolExecutor(1) as beside:
        checked = beside.submit(check_jar, jar) if jar else None
        spark = _started(conf, wanted)
        if checked is not None:
            _checked_or_ended(checked.result)
    if wanted == GRAPHFRAMES_PACKAGE and not jar:
        _checked_or_ended(lambda: _check_all(spark))
    return spark


def _make_fast(spark: SparkSession, *, only_run: bool) -> None:
    """Avoid messages between Python and Java that a run does not need."""
    spark.sparkContext.setLogLevel("OFF")
    if only_run:
        # PySpark reports every column and frame that Python drops to Java: sixty thousand messages in a small run, a
        # tenth of its time.
        gateway = spark.sparkContext._gateway
        assert gateway is not None  # it was just started
        gateway.gateway_property.enable_memory_management = False
    # Java ends before the Python workers that report to it; that needs no message.
    spark.sparkContext._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign]
    for full_name, names in _ASKED_FOR.items():
        cached = _Known(getattr(spark.sparkContext._jvm, full_name))
        for name in names:
            setattr(spark.sparkContext._jvm, name, cached)


def _check_pyarrow() -> None:
    """Raises SetupError if pyarrow is older than the installed Spark needs: 11 for 4.0, 15 for 4.1, 18 for 4.2."""
    try:
        require_minimum_pyarrow_version()
    except ImportError as error:
        raise SetupError(f"Spark {pyspark.__version__}: {str(error).splitlines()[0]}") from error


def _submitted(input_bytes: int) -> SparkSession:
    """The session of a driver that `spark-submit` started: it keeps its master, memory and packages."""
    builder = SparkSession.builder.appName("kafka-replay")
    for name, value in (_CONFIG | (_SMALL if input_bytes <= SMALL_BYTES else _LARGE)).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


_java: list[JavaProcess] = []  # the last one that this process started
_begun: list[JavaProcess] = []  # a Java that no session is connected to yet


def java_process() -> JavaProcess | None:
    """The Java that `session` started; None if it started none, or if the session existed before."""
    return _java[0] if _java else None


def end_session(spark: SparkSession) -> None:
    """End a session that we started, and its Java if that still runs; the next `session` starts another."""
    for stop in (spark.stop, spark.sparkContext.stop):  # if Java is already gone, the first call fails midway
        with warnings.catch_warnings(), suppress(PySparkException, Py4JError, OSError, AttributeError, AssertionError):
            warnings.simplefilter("ignore")
            stop()
    for java in _java:
        java.end()
    _java.clear()
    gateway, SparkContext._gateway, SparkContext._jvm = SparkContext._gateway, None, None
    if gateway is not None:
        gateway.close()
    SparkSession._instantiatedSession = SparkSession._activeSession = None


def end_java() -> None:
    """End the Java that `session` or `begin` started, immediately; calls to it fail."""
    for java in (*_java, *_begun):
        java.end(at_once=True)


def _started(conf: dict[str, str], wanted: str) -> SparkSession:
    builder = SparkSession.builder
    for name, value in conf.items():
        builder = builder.config(name, value)
    if SparkContext._gateway is not None:
        return builder.getOrCreate()  # a Java of a stopped session still runs
    _java.clear()
    output = process_folder() / "java.txt"
    try:
        java = _begun_with(conf) or JavaProcess(conf, process_folder(), _seconds_for(conf))
        java.wait()
        _java.append(java)
        with java.connected(), _interrupts_kept():
            return builder.getOrCreate()
    except (PySparkException, Py4JError, OSError, RuntimeError) as error:
        raise SetupError(_reason(wanted, _text(output), error)) from error
    except SetupError as error:
        if _text(output):
            raise SetupError(_reason(wanted, _text(output), error)) from error
        raise


def _begun_with(conf: Mapping[str, str]) -> JavaProcess | None:
    """The started Java if it has these settings; one with other settings is ended."""
    begun = _begun.pop() if _begun else None
    if begun is None or begun.conf == conf:
        return begun
    begun.end(at_once=True)
    return None


_NO_HOME = re.compile(r"(?:FileNotFoundException|AccessDeniedException): (/\S*/\.ivy[\d.]*)/")


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Keep this process's handler of ctrl-C: PySpark would install its own, which leaves Java running."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.is_file() else ""


def graphframes_jar() -> str | None:
    """The jar of the pinned package, so that Spark need not resolve it: the one that `install.sh` of the bundle put
    into this environment, else the one that an earlier run downloaded.
    """
    group, name, version = GRAPHFRAMES_PACKAGE.split(":")
    jar = f"{group}_{name}-{version}.jar"
    places = (Path(sys.prefix, "share", "kafka-replay", jar), *sorted(Path.home().glob(f".ivy2*/jars/{jar}")))
    return next((str(place) for place in places if place.is_file()), None)


def check_jar(jar: str) -> None:
    """Raises SetupError if this is not the pinned jar."""
    with open(jar, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != GRAPHFRAMES_SHA256:
        raise SetupError(
            f"{jar}: not the jar of {GRAPHFRAMES_PACKAGE} that this release was made with (SHA-256 {digest[:16]}… instead of "
            f"{GRAPHFRAMES_SHA256[:16]}…); remove it and run again, or name classes that you trust with {GRAPHFRAMES_SETTING}"
        )


def _check_all(spark: SparkSession) -> None:
    _, name, version = GRAPHFRAMES_PACKAGE.split(":")
    for jar in (spark.sparkContext.getConf().get("spark.jars") or "").split(","):
        if jar.endswith(f"{name}-{version}.jar"):
            check_jar(urlparse(jar).path)


def _checked_or_ended(check: Callable[[], None]) -> None:
    try:
        check()
    except SetupError:
        for java in _java:
            java.end(at_once=True)
        raise


def _java_options(archive: Path, small: bool, stays: bool, own_heap: bool, learn: Path | None) -> Iterator[str]:
    yield _ANY_JAVA
    yield _SMALL_JAVA if small else _LARGE_JAVA
    if small and not stays:
        yield _ONE_RUN_JAVA
    if small and own_heap:
        yield _SMALL_HEAP
    if learn is not None:
        yield f'"-XX:{"AOTCacheOutput" if learn.suffix == ".aot" else "ArchiveClassesAtExit"}={learn}"'
    elif archive.is_file():
        yield f'"-XX:{"AOTCache" if archive.suffix == ".aot" else "SharedArchiveFile"}={archive}"'


_REFUSED = re.compile(
    r"(?m)^(?:Error: )?((?:Unrecognized|Unsupported|Improperly specified|Missing|Conflicting|Invalid|Incompatible|Multiple|Too small|Initial heap size"
    r"|agent library failed|Could not find agent|Error opening zip file) [^\n]{1,200})$"
)


_NOT_STARTED = ("Could not create the Java Virtual Machine", "Error occurred during initialization of VM")


def _refused_option(output: str) -> str | None:
    """Java's message about an unsupported option; None if it accepted all."""
    found = _REFUSED.search(output) if any(sign in output for sign in _NOT_STARTED) else None
    return None if found is None else found[1].strip()


def _reason(wanted: str, output: str, error: BaseException) -> str:
    if "unresolved dependenc" in output.lower() or "UNRESOLVED" in output:
        if f"{delta.classes().split(':')[1]}#" in output or f"#{delta.classes().split(':')[1]};" in output:
            return (
                f"Delta's classes ({delta.classes()}) are not available: no repository answered; connect to Maven "
                f"Central once, or set {delta.DELTA_SETTING} to jars on this machine"
            )
        return (
            f"GraphFrames' classes ({wanted}) are not available: no repository answered; connect to Maven Central "
            f"once, or set {GRAPHFRAMES_SETTING} to a jar on this machine"
        )
    if (refused := _refused_option(output)) is not None:
        return f"Spark could not start: Java refuses an option: {refused}; check JAVA_TOOL_OPTIONS and JDK_JAVA_OPTIONS"
    short = memory.shortage(output + str(error), starting=True)
    if short is not None:
        return f"Spark could not start: {short}"
    if "No space left on device" in output:
        return f"Spark could not start: {process_folder().parent} is full; free space or set TMPDIR to a folder on another disk"
    home = _NO_HOME.search(output)
    if home is not None:
        return (
            f"Spark could not start: {home[1]}, where it keeps fetched classes, cannot be written; give this user a home "
            f"folder that it may write to, or set {GRAPHFRAMES_SETTING} to a jar on this machine"
        )
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith(("\t", ":", " "))]
    words = next(
        (line for line in reversed(lines) if "rror" in line or "xception" in line),
        str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__,
    )
    return f"Spark could not start: {words[:300]}; check JAVA_HOME, memory ({MEMORY_SETTING}) and {GRAPHFRAMES_SETTING}"
