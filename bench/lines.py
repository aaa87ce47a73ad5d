r"""Files of result lines: a table of text, columns divided by tabs, to which every finished run adds one line.

In: a path, the columns with the digits worth keeping, and lines as dictionaries. Out: the file, and dictionaries again.

The first line has the names of the columns. What many runs share (versions, settings) is stated once, as JSON after
"# ", and holds for all lines below it until the next statement. An empty field is None. A last line without its end is
of a run that was stopped: it is not read, and cut off before the next line is written. pandas reads such a file with
`read_csv(path, sep="\t", comment="#")`.
"""

import json
from pathlib import Path

STATEMENT = "# "


def read(path: Path) -> list[dict]:
    """All whole lines, each with what is stated above it."""
    whole = _whole(path).splitlines()
    if not whole:
        return []
    names = whole[0].split("\t")
    stated, lines = {}, []
    for text in whole[1:]:
        if text.startswith(STATEMENT):
            stated = json.loads(text.removeprefix(STATEMENT))
        else:
            lines.append(dict(zip(names, map(_value, text.split("\t")), strict=True)) | stated)
    return lines


def prepare(path: Path, columns: dict[str, int | None]) -> None:
    """A file with these columns and without a line that was cut off; refuses a file with other columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = _whole(path)
    if whole and whole.splitlines()[0] != "\t".join(columns):
        found = whole.splitlines()[0].replace("\t", ", ")
        raise ValueError(f"{path} has the columns {found}; these runs have {', '.join(columns)}. Name another file.")
    with path.open("a+b") as stream:
        stream.truncate(len(whole.encode()))
        if not whole:
            stream.write(("\t".join(columns) + "\n").encode())


def append(path: Path, line: dict, columns: dict[str, int | None], shared: tuple[str, ...] = ()) -> None:
    """Add one line, and what it shares with others if that is not stated above it. `prepare` comes first."""
    statement = STATEMENT + json.dumps({name: line[name] for name in shared}, separators=(",", ":"))
    above = [text for text in _whole(path).splitlines() if text.startswith(STATEMENT)]
    text = "\t".join(_text(line[name], digits) for name, digits in columns.items()) + "\n"
    if shared and above[-1:] != [statement]:
        text = statement + "\n" + text
    with path.open("a", encoding="utf-8") as stream:
        stream.write(text)


def _whole(path: Path) -> str:
    """The text without a line that was cut off."""
    text = path.read_bytes() if path.exists() else b""
    return text[: text.rfind(b"\n") + 1].decode()


def _text(value, digits: int | None) -> str:
    if value is None:
        return ""
    return f"{value:.{digits}g}" if isinstance(value, float) else " ".join(str(value).split())


def _value(text: str):
    """None, a whole number, a number or the text itself."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None
