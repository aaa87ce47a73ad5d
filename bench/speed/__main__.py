"""Speed as ratios, each measured in one run, alternating with its rival, best of several: `make bench`.

    python -m bench.speed [part …]

Parts: evaluation sincos projection transformer exact predict memory import first readme serving.

In: names of parts, all of them if none is given. Out: a printed line per figure, with its target and whether it holds.
A ratio of times does not depend on how fast the machine is today. It depends on what else runs: nothing else should.
"""

import argparse

from bench.speed.estimators import exact, predict, transformer
from bench.speed.evaluation import evaluation
from bench.speed.peaks import peaks
from bench.speed.projection import projection
from bench.speed.serving import serving
from bench.speed.sines import sines
from bench.speed.startup import first_fit, import_time, readme_example

PARTS = {
    "evaluation": evaluation,
    "sincos": sines,
    "projection": projection,
    "transformer": transformer,
    "exact": exact,
    "predict": predict,
    "memory": peaks,
    "import": import_time,
    "first": first_fit,
    "readme": readme_example,
    "serving": serving,
}


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.parts if name not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
