"""The command line: the demonstration, version and help."""

import subprocess
import sys

import pytest

import alakarte
import alakarte.cli.main as command_line


def test_demo_command(monkeypatch):
    calls = []
    monkeypatch.setattr(command_line, "demo", lambda: calls.append(1))
    assert command_line.main(["demo"]) == 0
    assert calls == [1]


def test_version_and_help(capsys):
    with pytest.raises(SystemExit, match="0"):
        command_line.main(["--version"])
    assert capsys.readouterr().out == f"alakarte {alakarte.__version__}\n"
    assert command_line.main([]) == 0
    assert "demo" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        command_line.main(["dinner"])


def test_it_runs_as_a_module():
    result = subprocess.run([sys.executable, "-m", "alakarte", "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"alakarte {alakarte.__version__}\n"
