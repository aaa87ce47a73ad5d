"""The door to the compiled loops: `loops.closed`, `loops.fastfood` and so on, each loaded where it is first used.

In: the name of a file of this room. Out: that file. Numba takes longer to load than all else of this package, and
nothing but a fit or a prediction needs it: whoever imports the package, or prints an estimator, does not wait for it.
Other rooms take the loops from here and from nowhere else.
"""

import threading
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what a type checker sees; Python asks `__getattr__`
    import alakarte.compiled.boxes as boxes
    import alakarte.compiled.closed as closed
    import alakarte.compiled.fastfood as fastfood
    import alakarte.compiled.local as local
    import alakarte.compiled.powers as powers
    import alakarte.compiled.profiles as profiles
    import alakarte.compiled.votes as votes
    import alakarte.compiled.waves as waves

__all__ = ["boxes", "closed", "fastfood", "local", "powers", "profiles", "votes", "waves"]
_LOADING = threading.RLock()  # files of Numba import each other: two threads that begin at once would meet half of one


def __getattr__(name: str) -> ModuleType:
    """Load a file of loops and remember it; threads that come at once wait for each other."""
    if name not in __all__:
        raise AttributeError(f"there are no loops {name!r}, only {', '.join(__all__)}")
    with _LOADING:
        module = import_module(f"alakarte.compiled.{name}")
    globals()[name] = module
    return module
