"""One-off studies, each a program of its own; the page or the choice that each supports is named in bench/README.md."""
