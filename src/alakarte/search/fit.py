"""From rows to a fitted model: learn kernels on few rows, refit on all, keep what the evidence prefers.

In: settings, rows, a seed, a budget. Out: `Fit`. Kernels are compared on all rows by their evidence less half a nat
a number learned, at equal columns, or in closed form where that is cheap. A kernel given by name goes alone.
"""

from dataclasses import replace
from functools import partial

from alakarte.data.arrays import Rows
from alakarte.data.standardise import Scaling
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.execution.randomness import Streams
from alakarte.kernels.registry import resolve
from alakarte.posteriors.average import LEAST_WEIGHT, MOST_ROWS, Member, shares
from alakarte.process.objective import model_at, nlml
from alakarte.process.prior import expected_spread
from alakarte.records import Shape
from alakarte.search.context import Fit, Kitchen, Tasted
from alakarte.search.free_frequencies import n_free, release
from alakarte.search.grow import Refit, enlarge, exact_fit, flops, grow, most_columns, refit
from alakarte.search.learn import Learned, Settings, learn_more, learning_stage
from alakarte.search.sizes import (
    MORE_ROWS_PER_PARAMETER,
    closed_flops,
    evaluation_flops,
    most_components,
    taste_columns,
)
from alakarte.search.stages import closed_last_stage, in_order, last_stage, priced, screening_stage, second_stage

CANDIDATES = ("ard", "rbf", "pwl", "gm")
EXACT_CANDIDATES = ("ard", "rbf", "matern32", "gm", "mm")  # of the rough ones features give a poor likeness
# Beyond, one length-scale for all inputs is no candidate: `ard` has it within, at a small price. Up to here all
# candidates are learned to the end.
FEW_ROWS = 2000
NEAR = 0.1  # nats a row behind the best: still a contender
CONTENDERS = 2
HOPELESS = 0.3  # nats a row behind the best after a few steps: not learned further
CLEARLY, CLEARLY_A_ROW = 20.0, 0.005  # nats: the same kernel, learned twice, differs by some
MORE = 0.02  # nats a row that more columns gain, or fresh ones lose: reason enough to learn with more of them
SECOND_COLUMNS = 1024
LEVELS = 4


def fit(
    settings: Settings, rows: Rows, scaling: Scaling, streams: Streams, progress: Progress, budget: Budget, warm=None
) -> Fit:
    """Learn, choose, refit; `warm` is (draws, theta) of an earlier fit of the same kernel."""
    settings = replace(settings, lengthscale_spread=expected_spread(settings.lengthscale_spread, rows.n_rows))
    kitchen = Kitchen(settings, in_order(settings, rows, streams), scaling, streams, progress, budget)
    progress.plan(rows.n_rows, *_estimate(kitchen))
    reserve = budget.seconds(kitchen.comparing_flops(1))
    with budget.share(0.6, reserve):
        if settings.kernel is None:
            ranking = taste(kitchen)
            best = ranking[0]
        else:
            ranking, own = [], kitchen.sized(settings.kernel)
            best = Tasted(own, kitchen.learn(own, warm), None, drawn_in=scaling.tails is not None)
        best = refine(kitchen, [best])[0]
        if ranking:
            ranking = [best, *ranking[1:]]
            if not budget.stop() and (other := kitchen.with_tails_drawn_in()):
                one = once_more(other, contenders(kitchen, ranking)[:CONTENDERS])
                if one.score > best.score + max(CLEARLY, CLEARLY_A_ROW * rows.total):
                    kitchen, best, ranking = other, one, [one, *ranking]
                    rows, scaling = other.rows, other.scaling
    if best.at is not None and best.settings.growing and budget.max_time is not None and not budget.stop():
        best, ranking = more(kitchen, best, ranking)
    final = _final(kitchen, best)
    if kitchen.may_release(best, final):
        with budget.share(0.9):
            found = release(best.settings, final, rows, scaling, kitchen.streams.within("free"), progress, budget)
        if found is not None:
            own, learned, final = found
            best = Tasted(own, learned, final, drawn_in=scaling.tails is not None)
            ranking = [best, *ranking] if ranking else []
    value = final.value
    if final.model.features is not None:  # in the accurate form
        same = final.model.problem.rows is best.learned.problem.rows and final.theta is best.learned.run.theta
        value = best.learned.run.value if same else nlml(final.model.problem, final.theta, final.sums)
    several = () if budget.stop() else averaged(ranking, scaling)
    return Fit(best.settings, best.learned, final, value, ranking, scaling, several)


def averaged(ranking: list[Tasted], scaling: Scaling) -> tuple[Member, ...]:
    """The best of few rows and those that the evidence cannot tell from it, all in closed form on the same inputs."""
    if not ranking or ranking[0].at.model.form != "exact" or ranking[0].at.model.problem.rows.n_rows > MOST_ROWS:
        return ()
    drawn_in = scaling.tails is not None
    same = [i for i, one in enumerate(ranking) if one.at.model.form == "exact" and one.drawn_in == drawn_in]
    share = shares([ranking[i].score for i in same], ranking[0].at.model.problem.rows.total)
    kept = [(ranking[i].at, i) for i, weight in zip(same, share, strict=True) if weight >= LEAST_WEIGHT]
    return tuple(Member(replace(at.model.problem, rows=None), at.theta, i) for at, i in kept) if len(kept) > 1 else ()


def taste(kitchen: Kitchen) -> list[Tasted]:
    """All candidates, best first; as many as the time allows, one at least."""
    names = candidates(kitchen)
    begun, learned, budget = [], [], kitchen.budget
    with budget.share(0.3, budget.seconds(kitchen.comparing_flops(1))):
        for name in names:
            if begun and budget.stop():
                break
            own = kitchen.sized(resolve(name))
            begun.append((own, kitchen.begin(own)))
    scores = [-one.run.value / one.screened_total for _, one in begun]
    order = sorted(range(len(begun)), key=lambda i: -scores[i])  # the most promising first
    for rank, i in enumerate(order):
        if learned and budget.stop():
            break
        own, one = begun[i]
        with budget.share(0.8 / (len(begun) - rank), budget.seconds(kitchen.comparing_flops(rank + 1))):
            hopeless = kitchen.rows.n_rows > FEW_ROWS and scores[order[0]] - scores[i] > HOPELESS
            learned.append((own, one if hopeless else kitchen.go_on(own, one)))
    tasted = kitchen.tasted(_in_time(kitchen, learned))
    tasted.sort(key=lambda one: -one.score)
    near = contenders(kitchen, tasted)[:CONTENDERS]
    if len(near) > 1 and not budget.stop():
        refined = refine(kitchen, near)
        tasted = sorted(refined, key=lambda one: -one.score) + tasted[len(near) :]
    return tasted


def candidates(kitchen: Kitchen) -> list[str]:
    """Kernels of the menu: those that need no expansion, where that is cheap; features of others, where it is not."""
    exact = [name for name in EXACT_CANDIDATES if kitchen.exact(kitchen.sized(resolve(name)))]
    return [name for name in exact or CANDIDATES if name != "rbf" or kitchen.rows.n_rows <= FEW_ROWS]


def _in_time(kitchen: Kitchen, learned: list[tuple[Settings, Learned]]) -> list[tuple[Settings, Learned]]:
    """All, if there is time to compare them on all rows; else the best on the rows that they were learned from."""
    budget = kitchen.budget
    if budget.seconds(kitchen.comparing_flops(len(learned))) <= budget.left():
        return learned
    return [min(learned, key=lambda found: found[1].run.value / found[1].problem.rows.total)]


def once_more(kitchen: Kitchen, several: list[Tasted]) -> Tasted:
    """The best kernels in another kitchen, where the tails of inputs are drawn in; the best of them there."""
    kitchen.progress.say("some inputs lie far out: once more with their tails drawn in")
    own, learned = [kitchen.sized(one.settings.kernel) for one in several], []
    for settings in own:
        if not (learned and kitchen.budget.stop()):
            learned.append((settings, kitchen.learn(settings)))
    tasted = kitchen.tasted(learned)
    return max(refine(kitchen, tasted), key=lambda one: one.score)


def contenders(kitchen: Kitchen, tasted: list[Tasted]) -> list[Tasted]:
    """Those not far behind the best, on the same inputs."""
    least = tasted[0].score - NEAR * kitchen.rows.total
    return [one for one in tasted if one.score > least and one.drawn_in == (kitchen.scaling.tails is not None)]


def more(kitchen: Kitchen, best: Tasted, ranking: list[Tasted]) -> tuple[Tasted, list[Tasted]]:
    """With time left: more components, more frequencies, more rows, for as long as that pays."""
    budget, tasted = kitchen.budget, ranking or [best]
    reserve = budget.seconds(flops(kitchen.rows.n_rows, most_columns(kitchen.rows.n_rows, True)))
    with budget.share(0.6 if n_free(kitchen.rows.n_rows, kitchen.rows.x.shape[1]) else 0.95, reserve):
        while (larger := more_components(kitchen, tasted[0])) and larger.score > tasted[0].score:
            tasted = [larger, *tasted]
        for level in range(1, LEVELS):
            before = tasted[0].score
            for one in contenders(kitchen, tasted):
                seconds = budget.seconds(refine_flops(one.settings, kitchen.rows.n_rows, level))
                if budget.elapsed() + seconds < budget.until:
                    [refined] = refine(kitchen, [one], level)
                    tasted = [refined if old is one else old for old in tasted]
                    tasted.sort(key=lambda one: -one.score)
            if tasted[0].score == before or budget.stop():
                break
        tasted = [polish(kitchen, tasted[0]), *tasted[1:]]
    return tasted[0], tasted if ranking else []


def polish(kitchen: Kitchen, one: Tasted) -> Tasted:
    """Further iterations on the rows and columns of the last stage, for as long as they pay and there is time."""
    rows, own, budget = one.learned.problem.rows, one.settings, kitchen.budget
    stage = priced(rows.n_rows, own.max_iter, own.tol)
    if one.at is None or budget.stop() or len(one.learned.runs) == 1:
        return one
    learned = learn_more(one.learned, one.learned.problem, one.learned.run.theta, own, stage, kitchen.progress, budget)
    [better] = kitchen.tasted([(own, learned)], one.at.n_basis)
    return replace(better, level=one.level) if better.score > one.score else one


def refine_flops(own: Settings, n_rows: int, level: int) -> float:
    """Of `refine` at a level, if all its steps are taken."""
    columns = SECOND_COLUMNS << level
    stages = second_stage(own, n_rows, level), last_stage(own, n_rows, columns, level)
    return sum(stage.max_iter * evaluation_flops(stage.n_rows, columns) for stage in stages if stage is not None)


def more_components(kitchen: Kitchen, best: Tasted) -> Tasted | None:
    """The best kernel with twice its components, if it has some, the rows bear them and the user left them open."""
    kernel, Q = best.settings.kernel, 2 * best.settings.n_components
    if not kernel.has_components or kitchen.settings.n_components is not None or kitchen.budget.stop():
        return None
    if most_components(kernel, kitchen.rows.n_rows, kitchen.rows.x.shape[1], MORE_ROWS_PER_PARAMETER) < Q:
        return None
    own = kitchen.sized(kernel, Q)
    return kitchen.tasted([(own, kitchen.learn(own))])[0]


def refine(kitchen: Kitchen, several: list[Tasted], level: int = 0) -> list[Tasted]:
    """More frequencies, where they pay, and more rows; what it was before, if that has as much evidence."""
    if several[0].at is None and several[0].settings.growing and not kitchen.budget.stop():  # a kernel given by name
        several = kitchen.tasted([(one.settings, one.learned) for one in several])
    found = [further(kitchen, one, level) for one in several]
    refined = [replace(one, learned=learned) for one, learned in zip(several, found, strict=True)]
    moved = [i for i, one in enumerate(several) if one.at is not None and found[i] is not one.learned]
    if moved:
        # with twice the columns that it was learned with: fewer would favour what was learned with fewer
        columns = kitchen.affordable(2 * SECOND_COLUMNS << level)
        better = kitchen.tasted([(several[i].settings, found[i]) for i in moved], columns)
        for i, one in zip(moved, better, strict=True):
            refined[i] = one if one.score > several[i].score else several[i]
    return [replace(one, level=max(level, one.level)) for one in refined]


def further(kitchen: Kitchen, one: Tasted, level: int) -> Learned:
    """The second stage, where more columns pay, and the last; at higher levels with more of everything."""
    own, learned, budget, n_rows = one.settings, one.learned, kitchen.budget, kitchen.rows.n_rows
    features, columns = model_at(learned.problem, learned.run.theta).features, SECOND_COLUMNS << level
    if one.level >= level or budget.stop():
        return learned
    if features is None:
        if one.at is None or one.at.model.features is not None or not own.progressive:
            return learned
        if learned.problem.rows is kitchen.rows:
            return learned
        stage, problem = closed_last_stage(own, n_rows), replace(learned.problem, rows=kitchen.rows)
        return learn_more(learned, problem, one.at.theta, own, stage, kitchen.progress, budget)
    n_basis = features.n_basis
    if one.at is not None and own.growing and n_basis < columns:
        before, after = learned.run.value / learned.problem.rows.total, one.at.value / kitchen.rows.total
        if abs(before - after) > MORE:
            stage, n_basis = second_stage(own, n_rows, level), columns
            problem = replace(
                enlarge(learned.problem, columns, kitchen.stream("more", own, columns)),
                rows=kitchen.shuffled.first(stage.n_rows),
            )
            learned = learn_more(learned, problem, one.at.theta, own, stage, kitchen.progress, budget)
    stage = last_stage(own, n_rows, n_basis, level)
    if stage is not None and stage.n_rows > learned.problem.rows.n_rows and not budget.stop():
        problem = replace(learned.problem, rows=kitchen.shuffled.first(stage.n_rows))
        learned = learn_more(learned, problem, learned.run.theta, own, stage, kitchen.progress, budget)
    return learned


def _estimate(kitchen: Kitchen) -> tuple[int, float, float]:
    """Columns at most, flops and bytes of a fit, if all stages run their full length; for the user to read."""
    one, n_rows = kitchen.settings.kernel, kitchen.rows.n_rows
    menu = [kitchen.sized(kernel) for kernel in ([one] if one is not None else map(resolve, candidates(kitchen)))]
    work = kitchen.comparing_flops(len(menu))
    for own in menu:
        d, columns = kitchen.rows.x.shape[1], 4 * own.n_components * own.n_frequencies
        shape = Shape(d, (own.n_frequencies,) * own.n_components)
        long, exact = learning_stage(own, n_rows, d, sum(p.size for p in own.kernel.parameters(shape)))
        each = partial(evaluation_flops, n_basis=columns)
        if exact:
            each, columns = partial(closed_flops, n_inputs=d, n_components=own.n_components), n_rows
        for steps, stage in ((own.n_restarts, screening_stage(own, n_rows)), (1, long)):
            work += steps * stage.max_iter * each(stage.n_rows)
    if any(own.growing and not kitchen.exact(own) for own in menu):
        work += refine_flops(own, n_rows, 0)
        columns = most_columns(n_rows, kitchen.budget.max_time is not None)
    return columns, work + flops(n_rows, columns), 32.0 * columns**2


def _final(kitchen: Kitchen, best: Tasted) -> Refit:
    """The posterior on all rows: as it was learned, with a given number of frequencies, or grown."""
    learned, rows, budget, wanted = best.learned, kitchen.rows, kitchen.budget, best.settings.n_posterior_frequencies
    problem, theta = replace(learned.problem, rows=rows), learned.run.theta
    if wanted is None:
        if learned.problem.rows is rows:
            return Refit(model_at(problem, theta), theta, learned.run.value, None)
        return (best.at or exact_fit(problem, theta)) if problem.form == "exact" else refit(problem, theta, budget)
    if problem.form == "exact" and kitchen.exact(best.settings):
        return best.at or exact_fit(problem, theta)
    if wanted != "auto":
        return refit(
            enlarge(problem, wanted, kitchen.stream("posterior", best.settings, wanted), each=True), theta, budget
        )
    first = best.at
    if first is None:
        first = refit(
            enlarge(
                problem,
                taste_columns(rows.n_rows),
                kitchen.stream("compare", best.settings, taste_columns(rows.n_rows)),
            ),
            theta,
            budget,
        )
    return grow(first, problem, kitchen.streams.within("grow"), budget, kitchen.progress.say)
