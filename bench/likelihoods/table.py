"""The tables of this room from the lines of finished runs; nothing is computed anew.

In: lines. Out: Markdown: what is asked of each set beside ours and the best peer, the counts of sets that are asked
for, then every method of every set.

A figure is the mean over the seeds that a method has. Its standard error comes from groups of test rows
(`bench.likelihoods.scores`); differences are paired, over the seeds that both methods have, so they tell what the test
rows leave open and not what other training rows would change. Outliers are shown as RMSE/std, the root of their loss.
"""

import numpy as np

from bench.likelihoods.cells import LEFT_OUT, NO_PEERS
from bench.likelihoods.scores import GROUPS, group_means, paired
from bench.likelihoods.sets import COUNTS, SETS, SMALL, Asked, Set

ECE_SLACK, ECE_ROWS = 0.01, 1000
HEADER = "| set | asked | ours | best peer | ours − best peer (paired) | limit | holds |"
DETAIL = "| set | method | loss | accuracy | calibration | drawn labels | s | MB | seeds | note |"
Groups = dict[str, dict[str, list[dict]]]  # lines by set and method, in the order of seeds


def grouped(lines) -> Groups:
    """Lines by set and method."""
    groups: Groups = {name: {} for name in SETS}
    for line in sorted(lines, key=lambda line: line["seed"]):
        groups[line["set"]].setdefault(line["method"], []).append(line)
    return groups


def report(lines) -> str:
    """All tables."""
    groups = grouped(lines)
    parts = [asked_table(groups), together(groups), details(groups), left_out()]
    return "\n\n".join("\n".join(part) for part in parts if part)


def asked_table(groups: Groups) -> list[str]:
    """What is asked of each set."""
    rows = [HEADER, "|---" * 7 + "|"]
    for name, methods in groups.items():
        if methods:
            rows += [asked_row(SETS[name], asked, methods) for asked in SETS[name].asked]
    return rows


def asked_row(one: Set, asked: Asked, methods: dict[str, list[dict]]) -> str:
    """One limit of one set."""
    ours, peer = methods.get(one.ours), best_peer(one, methods)
    limit = limit_of(one, asked, methods)
    cells = [one.name, asked.text, ours and shown(one, ours, asked.figure)]
    if asked.figure == "loss":
        cells += [peer and f"{peer} {shown(one, methods[peer])}", ours and peer and _difference(ours, methods[peer])]
    else:
        cells += [None, None]
    cells += [limit and f"{limit:.4g}", ours and limit and _yes(holds(one, asked, methods))]
    return "| " + " | ".join(cell or "" for cell in cells) + " |"


def best_peer(one: Set, methods: dict[str, list[dict]]) -> str | None:
    """The peer with the least loss, of those that have all seeds that any peer has."""
    peers = {name: lines for name, lines in methods.items() if is_peer(name)}
    most = max((len(lines) for lines in peers.values()), default=0)
    whole = [name for name, lines in peers.items() if len(lines) == most]
    return min(whole, key=lambda name: figure(one, peers[name]), default=None)


def is_peer(method: str) -> bool:
    """Neither ours nor the truth."""
    return not method.startswith("alakarte") and method not in NO_PEERS


def figure(one: Set, lines: list[dict], name: str = "loss") -> float:
    """The mean over seeds; RMSE/std for outliers."""
    mean = float(np.mean([line[name] for line in lines]))
    return float(np.sqrt(mean)) if one.kind == "outliers" and name == "loss" else mean


def standard_error(one: Set, lines: list[dict]) -> float:
    """Of the mean loss, or of its root for outliers."""
    means = np.concatenate([group_means(line) for line in lines])
    error = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else float("nan")
    return error / (2 * figure(one, lines)) if one.kind == "outliers" else error


def references(one: Set, asked: Asked, methods: dict[str, list[dict]]) -> list[str]:
    """The methods that a limit comes from: those that are named and have lines, or the best peer."""
    peer = best_peer(one, methods)
    return [name for name in asked.among or (peer,) if name in methods]


def comparable(one: Set, asked: Asked, methods: dict[str, list[dict]]) -> dict[str, list[dict]]:
    """Lines of the seeds that ours and all methods of the limit have; all lines where the limit is a number."""
    if asked.at_most is not None or asked.at_least is not None:
        return methods
    named = [name for name in (one.ours, *references(one, asked, methods)) if name in methods]
    seeds = set.intersection(*({line["seed"] for line in methods[name]} for name in named)) if named else set()
    return {name: [line for line in methods[name] if line["seed"] in seeds] for name in named}


def limit_of(one: Set, asked: Asked, methods: dict[str, list[dict]]) -> float | None:
    """The number that ours must not pass; None if no method that it comes from has seeds of ours."""
    if asked.at_most is not None or asked.at_least is not None:
        return asked.at_most if asked.at_least is None else asked.at_least
    alike = comparable(one, asked, methods)
    names = references(one, asked, methods)
    figures = [figure(one, alike[name], asked.figure) for name in names if alike[name]]
    return asked.factor * min(figures) + asked.slack if figures else None


def holds(one: Set, asked: Asked, methods: dict[str, list[dict]]) -> bool:
    """Whether the figure of ours keeps the limit, over the seeds that it is set by."""
    value = figure(one, comparable(one, asked, methods)[one.ours], asked.figure)
    limit = limit_of(one, asked, methods)
    return value >= limit if asked.at_least is not None else value <= limit


def shown(one: Set, lines: list[dict], name: str = "loss") -> str:
    """The figure, the loss with its standard error."""
    if name != "loss":
        return f"{figure(one, lines, name):.4g}"
    return f"{figure(one, lines):.4f} ± {standard_error(one, lines):.4f}"


def shared(ours: list[dict], others: list[dict]) -> tuple[list[dict], list[dict]]:
    """Lines of the seeds that both have."""
    seeds = {line["seed"] for line in ours} & {line["seed"] for line in others}
    return [line for line in ours if line["seed"] in seeds], [line for line in others if line["seed"] in seeds]


def _difference(ours: list[dict], others: list[dict]) -> str:
    ours, others = shared(ours, others)
    if not ours:
        return ""
    difference, error = paired(ours, others)
    return f"{difference:+.4f} ± {error:.4f}"


def _yes(kept: bool) -> str:
    return "yes" if kept else "**no**"


def together(groups: Groups) -> list[str]:
    """What is asked of several sets together, as sentences."""
    return [
        _ahead(groups, SMALL, None, "Ahead of the best peer (2 of 5 are asked for)"),
        _ahead(groups, COUNTS, "lightgbm_nb", "Counts: ahead of LightGBM + NB (3 of 5 are asked for)"),
        _calibration(groups),
        _gaussian_with_outliers(groups),
        _rates(groups),
    ]


def _ahead(groups: Groups, names, method: str | None, text: str) -> str:
    """On which sets ours has the smaller loss."""
    there, ahead = [], []
    for name in names:
        other = method or best_peer(SETS[name], groups[name])
        if "alakarte" in groups[name] and other in groups[name]:
            ours, others = shared(groups[name]["alakarte"], groups[name][other])
            there.append(name)
            if ours and paired(ours, others)[0] < 0:
                ahead.append(name)
    return f"- {text}: {len(ahead)} of {len(there)} run: {', '.join(ahead) or 'none'}."


def _calibration(groups: Groups) -> str:
    """Sets whose calibration error is too far beyond that of labels drawn from the same probabilities."""
    excess = {}
    for name, methods in groups.items():
        ours = methods.get("alakarte", [])
        if ours and SETS[name].kind == "classes" and ours[0]["n_test"] >= ECE_ROWS:
            excess[name] = figure(SETS[name], ours, "ece") - figure(SETS[name], ours, "ece_drawn")
    above = [f"{name} {beyond:.4f}" for name, beyond in excess.items() if beyond > ECE_SLACK]
    text = f"- Calibration error beyond that of drawn labels (≤ {ECE_SLACK} is asked for), {len(excess)} sets"
    return f"{text} with ≥ {ECE_ROWS} test rows: {'above on ' + ', '.join(above) if above else 'none above'}."


def _gaussian_with_outliers(groups: Groups) -> str:
    lines = groups["concrete_outliers"].get("alakarte")
    value = f"{figure(SETS['concrete_outliers'], lines):.3f}" if lines else "not run"
    return f"- concrete with outliers, Gaussian (more than .9 is expected): {value}."


def _rates(groups: Groups) -> str:
    errors = {
        name: figure(SETS["exposure"], lines, "rate_error")
        for name, lines in groups["exposure"].items()
        if all(line["rate_error"] is not None for line in lines)
    }
    listed = ", ".join(f"{name} {error:.3f}" for name, error in errors.items())
    return f"- exposure, root mean square error of log rates: {listed or 'not run'}."


def details(groups: Groups) -> list[str]:
    """Every method of every set, the best first."""
    rows = [DETAIL, "|---" * 10 + "|"]
    for name, methods in groups.items():
        for method in sorted(methods, key=lambda method: figure(SETS[name], methods[method])):
            rows.append(_detail(SETS[name], method, methods[method]))
    return rows


def _detail(one: Set, method: str, lines: list[dict]) -> str:
    is_class = one.kind == "classes"
    cells = [one.name, method, shown(one, lines)]
    cells += [f"{figure(one, lines, each):.4f}" if is_class else "" for each in ("accuracy", "ece", "ece_drawn")]
    cells += [f"{figure(one, lines, 'seconds'):.3g}", f"{max(line['peak_mb'] for line in lines):.0f}"]
    seeds = " ".join(str(line["seed"]) for line in lines)
    return "| " + " | ".join([*cells, seeds, str(lines[0]["note"] or "")]) + " |"


def left_out() -> list[str]:
    """What does not run, and why."""
    reasons = [f"{method} on {name}: {why}" for name, methods in LEFT_OUT.items() for method, why in methods.items()]
    note = f"Standard errors by at most {GROUPS} groups of test rows. Not run: "
    return [note + "; ".join(reasons) + "."]
