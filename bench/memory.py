"""Resident memory of this process, and its peak from a moment on; NaN where the system does not tell."""

import contextlib
from pathlib import Path


def resident(field: str = "VmRSS") -> float:
    """Megabytes now, or their peak with "VmHWM"."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
    return float("nan")


def start_peak() -> float:
    """Let the peak start here; megabytes resident now."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return resident()
