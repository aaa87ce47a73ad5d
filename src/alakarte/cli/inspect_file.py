"""`alakarte inspect`: what is in a model file. The file is checked and its text is read; nothing of it is run."""

import argparse
import json
from typing import Any

from alakarte.cli.mistakes import Mistake
from alakarte.errors import InvalidInput
from alakarte.model.files import Overview, overview

MOST_LETTERS = 100


def inspect_file(options: argparse.Namespace) -> int:
    """Print what a file says of itself."""
    try:
        found = overview(options.model)
    except FileNotFoundError:
        raise Mistake(f"{options.model}: there is no such file. Check the path.") from None
    except InvalidInput as error:
        raise Mistake(str(error)) from None
    told = _told(found) | {"bytes": options.model.stat().st_size}
    if options.json:
        print(json.dumps(told))
        return 0
    for name, value in told.items():
        print(f"{name.replace('_', ' '):<24}{_short(value)}")
    rows = "holds rows of the training table" if told["holds_training_rows"] else "holds no rows of the training table"
    print(f"\nThis file {rows}. Its bytes are those that were written; no code of it was run.")
    return 0


def _told(found: Overview) -> dict[str, Any]:
    largest = sorted(found.arrays.items(), key=lambda item: -item[1].n_bytes)[:3]
    arrays = {name: [entry.dtype.name, *entry.shape] for name, entry in largest}
    return found.about | {"n_arrays": len(found.arrays), "largest_arrays": arrays}


def _short(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        value = ", ".join(f"{name} {_short(part)}" for name, part in value.items())
    elif isinstance(value, list):
        value = ", ".join(map(_short, value))
    elif isinstance(value, float):
        value = f"{value:.6g}"
    text = str(value)
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"
