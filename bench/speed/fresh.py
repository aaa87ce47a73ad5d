"""A figure from a fresh process.

In: code that prints one number, and variables of its environment. Out: the number.
"""

import os
import subprocess
import sys


def fresh(code: str, **variables: str) -> float:
    """The number that the code prints in a Python process of its own."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | variables)
    return float(done.stdout)
