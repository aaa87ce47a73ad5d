"""The command line: the demonstration, version and help."""

import json
import subprocess
import sys

import pytest

import alakarte
import alakarte.cli.main as command_line


def test_demo_command(monkeypatch):
    calls = []
    monkeypatch.setattr(command_line, "demo", lambda report: calls.append(report.name))
    assert command_line.main(["demo"]) == 0
    assert calls == ["alakarte_demo.html"]


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


def test_every_command_has_help_with_an_example(capsys):
    for name in command_line.COMMANDS:
        with pytest.raises(SystemExit, match="0"):
            command_line.main([name, "--help"])
        assert f"Example: alakarte {name}" in " ".join(capsys.readouterr().out.split())


def test_the_doctor_says_what_is_there_and_that_it_works(capsys):
    assert command_line.main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["works"]
    assert found["packages"]["alakarte"] == alakarte.__version__
    assert found["threads"] >= 1
    assert command_line.main(["doctor"]) == 0
    assert "saved, loaded" in capsys.readouterr().out


def test_the_doctor_tells_what_fails(capsys, monkeypatch):
    def fails(path):
        raise RuntimeError("broken")

    monkeypatch.setitem(command_line.COMMANDS["doctor"].__globals__, "load", fails)
    assert command_line.main(["doctor"]) == 1
    captured = capsys.readouterr()
    assert "failed with RuntimeError" in captured.out
    assert "broken" in captured.err


def test_ctrl_c_ends_a_command(monkeypatch):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setitem(command_line.COMMANDS, "demo", interrupted)
    assert command_line.main(["demo"]) == 130
