"""Data flow one way: a file imports only what stands above it in the list of layers."""

import ast
from pathlib import Path

import pytest

import alakarte

ROOT = Path(alakarte.__file__).parent

# From the ground up; a name with a dot at its end stands for a folder. Files of one layer do not import each other,
# except inside a folder, where only cycles are forbidden.
LAYERS = [
    ("errors", "progress", "report", "metrics", "budget"),
    ("records", "parameters", "threads", "blas"),
    ("reference", "compiled."),
    ("data.", "kernels."),
    ("features.", "factorise", "sizes", "coordinates", "prior"),
    ("statistics", "evidence", "dual", "rowspace", "exact", "retune"),
    ("objective",),
    ("starts", "stages", "optimise", "posterior", "fitted", "refit"),
    ("learn", "transformer", "average"),
    ("release", "checks"),
    ("kitchen",),
    ("menu",),
    ("describe", "online", "predictions"),
    ("regressor",),
    ("__init__", "demo"),
    ("__main__",),
]
# third-party packages that only one corner of the package may import
ONLY_IN = {"numba": ("compiled.",), "joblib": ("threads",), "threadpoolctl": ("threads",)}
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


def layer(module: str) -> int:
    for index, names in enumerate(LAYERS):
        if any(module == name or (name.endswith(".") and f"{module}.".startswith(name)) for name in names):
            return index
    raise LookupError(f"{module} has no place in the list of layers: give it one")


def imports(path: Path) -> list[tuple[str, bool]]:
    """Absolute names of imported modules, and whether the import stands inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {id(node) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for node in ast.walk(f)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in inside) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            found.append((node.module, id(node) in inside))
    return found


def inner_imports(path: Path) -> set[str]:
    """Modules of the package, without its name."""
    return {name.removeprefix("alakarte").lstrip(".") for name, _ in imports(path) if name.split(".")[0] == "alakarte"}


@pytest.mark.parametrize("module", FILES)
def test_imports_go_one_way(module):
    for other in inner_imports(FILES[module]):
        same_folder = module.split(".")[0] == other.split(".")[0] and "." in other
        assert layer(other) < layer(module) or same_folder, f"{module} imports {other}"


def test_there_is_no_cycle():
    graph = {module: inner_imports(path) & FILES.keys() for module, path in FILES.items()}
    done = set()
    while len(done) < len(graph):
        ready = {module for module, needs in graph.items() if module not in done and needs <= done}
        assert ready, f"cycle among {sorted(graph.keys() - done)}"
        done |= ready


@pytest.mark.parametrize("module", [module for module in FILES if module != "__init__"])
def test_nothing_comes_through_an_init(module):
    """Neither the package nor one of its folders serves as a shelf inside the package."""
    shelves = {"", "kernels", "features", "data", "compiled"}
    assert module == "__main__" or not inner_imports(FILES[module]) & shelves


@pytest.mark.parametrize("module", FILES)
def test_imports_inside_functions_are_for_optional_packages(module):
    assert [name for name, inside in imports(FILES[module]) if inside and name.split(".")[0] == "alakarte"] == []


@pytest.mark.parametrize("package", ONLY_IN)
def test_packages_that_stay_in_their_corner(package):
    users = {module for module, path in FILES.items() if package in {name.split(".")[0] for name, _ in imports(path)}}
    allowed = ONLY_IN[package]
    assert {m for m in users if not any(f"{m}.".startswith(a) if a.endswith(".") else m == a for a in allowed)} == set()


def test_kernels_never_see_data():
    for module, path in FILES.items():
        if module.startswith("kernels"):
            assert not {name.split(".")[0] for name in inner_imports(path)} & {"data", "features", "statistics"}, module


def test_evidence_never_sees_a_row():
    assert inner_imports(FILES["evidence"]) <= {"factorise", "records", "errors"}


@pytest.mark.parametrize("module", FILES)
def test_no_file_is_long(module):
    assert len(FILES[module].read_text(encoding="utf-8").splitlines()) <= 300


def test_a_kernel_is_a_short_file():
    for module, path in FILES.items():
        if module.startswith("kernels."):
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 110, module


def test_no_drawer_for_odds_and_ends():
    assert not {"utils", "helpers", "common", "misc"} & {part for module in FILES for part in module.split(".")}
