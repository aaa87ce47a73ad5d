"""`python -m alakarte`."""

import sys

from alakarte.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
