"""Data flow one way: a room imports only rooms above it in the list, and inside a room there is no cycle."""

import ast
from pathlib import Path

import alakarte

ROOT, TESTS = Path(alakarte.__file__).parent, Path(__file__).parents[1]
# From the ground up. The files of the first line are no room: each of them may be read from anywhere.
GROUND = ("errors", "records", "parameters", "metrics")
ROOMS = (
    "execution",
    "linalg",
    "compiled",
    "data",
    "kernels",
    "likelihoods",
    "features",
    "process",
    "posteriors",
    "search",
    "model",
    "display",
    "estimators",
    "cli",
)
TOP = {*GROUND, "__init__", "__main__"}
# third-party packages that only one corner of the package may import
ONLY_IN = {
    "numba": "compiled.",
    "llvmlite": "compiled.",
    "joblib": "execution.threads",
    "threadpoolctl": "execution.threads",
    "matplotlib": "display.canvas",
}
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


def level(module: str) -> int:
    """Where a module stands: the ground, a room, or the top."""
    room = module.split(".")[0]
    if room in GROUND:
        return -1
    return ROOMS.index(room) if room in ROOMS else len(ROOMS)


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


def test_a_room_imports_only_rooms_above_it():
    against = [
        f"{module} imports {other}"
        for module, path in FILES.items()
        for other in inner_imports(path)
        if level(other) > level(module)
    ]
    assert against == []


def test_there_is_no_cycle():
    graph = {module: inner_imports(path) & FILES.keys() for module, path in FILES.items()}
    done = set()
    while len(done) < len(graph):
        ready = {module for module, needs in graph.items() if module not in done and needs <= done}
        assert ready, f"cycle among {sorted(graph.keys() - done)}"
        done |= ready


def test_every_file_is_in_a_room():
    assert {module for module in FILES if "." not in module} - set(ROOMS) == TOP
    assert {module.split(".")[0] for module in FILES if "." in module} <= set(ROOMS)


def test_tests_follow_the_rooms():
    """A folder of tests is a room, or one of those that concern them all."""
    folders = {path.parent.name for path in TESTS.rglob("test_*.py")} - {TESTS.name}
    assert folders - set(ROOMS) == {"laws", "contract", "house", "bench", "browser"}


# Files whose tests stand elsewhere: laws that hold for all of their kind, or the file whose twin or interface they are.
ELSEWHERE = {
    **dict.fromkeys(
        ["kernels." + name for name in ("ard", "rbf", "matern", "gm", "mm", "pwl", "fsard", "fsgbard", "ssgpr")], "laws"
    ),
    "kernels.forms": "model/test_kernel.py",
    "kernels.joining": "kernels/test_sum.py",
    **dict.fromkeys(["process.objective", "process.row_space", "posteriors.build"], "laws"),
    **dict.fromkeys(["compiled.reference", "compiled.layout"], "compiled/test_fastfood.py"),
    **dict.fromkeys(["likelihoods.base", "likelihoods.registry"], "likelihoods/test_gaussian.py"),
    **dict.fromkeys(["posteriors." + name for name in ("weights", "low_rank", "rows")], "posteriors/test_base.py"),
    **dict.fromkeys(
        [
            "likelihoods." + name
            for name in (
                "bernoulli",
                "categorical",
                "counts",
                "negative_binomial",
                "poisson",
                "quadrature",
                "student_t",
            )
        ],
        "likelihoods/test_rowwise.py",
    ),
    **dict.fromkeys(
        ["process." + name for name in ("design_matrix", "laplace", "latent_space", "sites", "softmax", "variational")],
        "process/test_latent_objective.py",
    ),
    **dict.fromkeys(
        ["posteriors.class_sites", "posteriors.latent", "posteriors.row_sites"], "estimators/test_classifier.py"
    ),
    **dict.fromkeys(
        ["search.classes", "search.fit_classes", "search.fixed_kernels"],
        "estimators/test_classifier.py",
    ),
    "data.roles": "data/test_scanned.py",
    **dict.fromkeys(
        ["estimators.class_predictions", "estimators.counts", "estimators.latent"], "estimators/test_classifier.py"
    ),
    "compiled.local_reference": "compiled/test_local.py",
    "compiled.powers_reference": "compiled/test_powers.py",
    **dict.fromkeys(["estimators.base", "estimators.evidence"], "estimators/test_regressor.py"),
    "search.grow_latent": "search/test_latent.py",
    **dict.fromkeys(["model.catalogue", "model.decode", "model.encode"], "model/test_files.py"),
    **dict.fromkeys(["estimators.keep", "estimators.load"], "model/test_files.py"),
    **dict.fromkeys(
        [
            "cli." + name
            for name in (
                "fit",
                "inspect_file",
                "mistakes",
                "open_model",
                "options",
                "predict",
                "evaluate",
                "roles",
                "report",
            )
        ],
        "cli/test_commands.py",
    ),
    "cli.doctor": "cli/test_main.py",
    **dict.fromkeys(["model.onnx_graph", "model.onnx_parts", "model.onnx_transform"], "model/test_onnx_export.py"),
    "model.strict_json": "model/test_container.py",
    **dict.fromkeys(
        ["display." + name for name in ("answers", "case", "inline", "page", "words")], "display/test_report.py"
    ),
    **dict.fromkeys(
        [
            "display." + name
            for name in (
                "canvas",
                "convergence",
                "coverage",
                "kernel",
                "prediction",
                "ranking",
                "relevance",
                "spectrum",
            )
        ],
        "display/test_pictures.py",
    ),
    "kernels.mixture": "search/test_starts.py",
    "search.policy": "house/test_documents.py",
    "search.settings": "estimators/test_checks.py",
}


def test_every_file_has_its_tests():
    for module in FILES:
        if "." in module:
            room, file = module.split(".")
            own = TESTS / room / f"test_{file}.py"
            assert own.exists() != (module in ELSEWHERE), module
    assert [place for place in ELSEWHERE.values() if not (TESTS / place).exists()] == []


def test_nothing_comes_through_an_init():
    """Neither the package nor one of its rooms serves as a shelf inside the package."""
    shelves = {"", *ROOMS}
    users = {module for module, path in FILES.items() if inner_imports(path) & shelves}
    assert users <= {"__init__"}


def test_imports_inside_functions_are_for_optional_packages():
    hidden = [
        (module, name)
        for module, path in FILES.items()
        for name, inside in imports(path)
        if inside and name.split(".")[0] == "alakarte"
    ]
    assert hidden == []


def test_packages_stay_in_their_corner():
    strays = [
        (module, package)
        for module, path in FILES.items()
        for package, corner in ONLY_IN.items()
        if package in {name.split(".")[0] for name, _ in imports(path)} and not f"{module}.".startswith(corner)
    ]
    assert strays == []


def test_weight_space_never_sees_a_row():
    assert inner_imports(FILES["process.weight_space"]) <= {"linalg.factorise", "records", "errors"}
