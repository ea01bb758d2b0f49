"""Data flows one way: replay and viz are pure, and of replay viz knows only how tables are declared and how durations are written; pipelines alone has sessions, files, collect and print."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PURE = {"replay": {"pyspark", "pyarrow", "tomli", "replay"}, "viz": {"pandas", "plotly", "jinja2", "markupsafe", "viz"}}
ONLY_HERE = {
    "graphframes": {"replay/causes/graph.py"},
    "replay": {
        "viz/frames.py",
        "viz/phrases.py",
    },  # the declarations of tables and how durations are written, and nothing else of it
}  # who may import what no other file of its package may
FILES = {"os", "io", "pathlib", "importlib.resources", "zipfile", "tempfile", "shutil", "glob", "subprocess"}
OWN_DATA = {  # read the package's own tables and packs, at import
    "replay/catalogue/own_tables.py": {"importlib.resources"},
    "replay/knowledge/pack_files.py": {"importlib.resources"},
}
ACTS = {
    "collect",
    "toPandas",
    "toLocalIterator",
    "show",
    "print",
    "open",
    "get_data",
    "getOrCreate",
}  # what only pipelines may do
NOT_CONNECT = {
    "rdd",
    "udf",
    "pandas_udf",
    "udtf",
    "mapInPandas",
    "applyInPandas",
    "foreach",
    "foreachPartition",
    "sparkContext",
    "_jvm",
    "_jdf",
}


def _files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _modules(path: Path) -> set[str]:
    """The modules that a file imports, or imports names from, wherever in the file."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{_name(path)}:{node.lineno}: imports say the whole name"
            modules.add(node.module)
    return modules


def _imports(path: Path) -> set[str]:
    """The top-level packages that a file imports, wherever in the file."""
    return {module.split(".")[0] for module in _modules(path)}


def _names(path: Path) -> Iterator[tuple[str, int, bool]]:
    """Every name and attribute that a file uses, its line, and whether it is called."""
    tree = ast.parse(path.read_text())
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr, node.lineno, id(node) in called
        elif isinstance(node, ast.Name):
            yield node.id, node.lineno, id(node) in called


PURE_FILES = [path for package in PURE for path in _files(package)]


def test_there_are_files_to_check():
    assert len(_files("replay")) > 20 and len(_files("pipelines")) > 3


def test_a_pure_package_imports_the_standard_library_and_what_it_is_made_of():
    for path in PURE_FILES:
        allowed = PURE[path.relative_to(ROOT).parts[0]] | sys.stdlib_module_names
        allowed = allowed | {package for package, files in ONLY_HERE.items() if _name(path) in files}
        assert _imports(path) <= allowed, _name(path)


CLOCKS = {"current_timestamp", "current_date", "now", "localtimestamp", "rand", "randn", "uuid"}


def test_replay_neither_acts_nor_leaves_the_dataframe_api():
    used = [
        (f"{_name(path)}:{line}: {name}", name, called)
        for path in _files("replay")
        for name, line, called in _names(path)
    ]
    acts = [where for where, name, called in used if called and name in ACTS]
    assert not acts, "an action or a file belongs into pipelines"
    asks = [where for where, name, called in used if called and name in CLOCKS]
    assert not asks, "what comes out follows from what goes in, whenever it is run"
    others = [where for where, name, _ in used if name in NOT_CONNECT]
    assert not others, "not in every Spark: RDDs, Python functions on rows of pandas, and the JVM are left out"


def test_replay_reads_no_file_but_its_own_tables_and_packs():
    assert {_name(path): found for path in _files("replay") if (found := FILES & _modules(path))} == OWN_DATA


def test_notebooks_run_where_there_are_no_python_functions_on_rows():
    notebooks = _files("notebooks")
    assert len(notebooks) == 2
    for notebook in notebooks:
        assert not [f"{_name(notebook)}:{line}: {name}" for name, line, _ in _names(notebook) if name in NOT_CONNECT]


def test_viz_neither_prints_nor_shows_nor_asks_the_clock():
    acts = [
        f"{_name(path)}:{line}: {name}"
        for path in _files("viz")
        for name, line, called in _names(path)
        if called and name in {"print", "show", "write_html", "write_image", "now", "today", "utcnow"}
    ]
    assert not acts, "figures and pages are returned; who calls decides what to do with them"


def test_viz_knows_the_declarations_of_tables_and_nothing_else_of_replay():
    tree = ast.parse((ROOT / "viz/frames.py").read_text())
    named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in named if name.startswith("replay")} == {"replay.tables"}


def test_the_catalogue_needs_no_spark():
    for name in ("template.py", "template_files.py", "own_tables.py", "fields.py", "kinds.py"):
        assert "pyspark" not in _imports(ROOT / "replay/catalogue" / name)


def test_only_the_graph_imports_graphframes():
    users = {
        _name(path)
        for package in ("replay", "viz", "pipelines")
        for path in _files(package)
        if "graphframes" in _imports(path)
    }
    assert users <= {"replay/causes/graph.py"}
