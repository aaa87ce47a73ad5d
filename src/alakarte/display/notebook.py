"""What a notebook shows of a fitted estimator beside its settings: kernel, evidence, bars of relevance.

In: a `FittedModel`. Out: a piece of HTML in the colours of the page around it. Needs no matplotlib.
"""

import html

import numpy as np

from alakarte.display.words import computation_in_words, kernel_in_words
from alakarte.model.fitted import FittedModel

MOST_INPUTS = 12
_NAME = "max-width:14em;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;text-align:left;padding-right:.6em"
_BAR = "display:inline-block;height:.7em;background:currentColor;opacity:.55;vertical-align:middle;margin-right:.4em"


def learned_html(model: FittedModel) -> str:
    """The piece."""
    relevance, names = model.kernel.relevance(), model.input_names
    order = np.argsort(-relevance, kind="stable")
    largest = max(float(relevance.max(initial=0.0)), np.finfo(float).tiny)
    rows = []
    for j in order[:MOST_INPUTS]:
        bar = f'<span style="{_BAR};width:{9 * relevance[j] / largest:.2f}em"></span>'
        name = html.escape(names[j], quote=True)
        rows.append(f'<tr><td style="{_NAME}" title="{name}">{name}</td><td>{bar}{relevance[j]:.1%}</td></tr>')
    more = f"<div>… and {len(order) - MOST_INPUTS} more inputs</div>" if len(order) > MOST_INPUTS else ""
    table = f'<table style="border-collapse:collapse;text-align:left">{"".join(rows)}</table>'
    told = f"{kernel_in_words(model)}; {_judged(model)}"
    return (
        '<div class="alakarte-learned" style="font-size:.9em;margin:.4em 0;max-width:40em">'
        f"<div><b>Kernel {html.escape(model.kernel.kernel.name)}</b>: {html.escape(told)}</div>"
        f"<div>{html.escape(computation_in_words(model))}</div><div>Relevance of the inputs:</div>{table}{more}</div>"
    )


def _judged(model: FittedModel) -> str:
    """The evidence, or what stands for it."""
    evidence, density = model.log_marginal_likelihood, model.history.left_out_log_density
    if np.isnan(evidence):
        return "no evidence is known" if density is None else f"{density:.4g} nats per row left out"
    return f"log evidence {evidence:,.1f} nats"
