#!/usr/bin/env python3
"""Writes src/text/tables.rs from the Unicode 15.0 data files.

    python3 crates/deem-core/tools/unicode.py [FOLDER]

FOLDER holds CaseFolding.txt and UnicodeData.txt (default /usr/share/unicode, Debian package
unicode-data 15.0.0). The tables are runs of LEB128 numbers, so that they stay small in wasm.
"""

import pathlib
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode")
TARGET = pathlib.Path(__file__).resolve().parent.parent / "src" / "text" / "tables.rs"


def rows(name):
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line:
            yield [field.strip() for field in line.split(";")]


def number(value):
    """Unsigned LEB128."""
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def signed(value):
    """Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    return number(value * 2 if value >= 0 else -value * 2 - 1)


def assigned_ranges():
    """Inclusive ranges of code points with a General_Category other than Cn and Cs."""
    ranges, first = [], None
    for row in rows("UnicodeData.txt"):
        code, name, category = int(row[0], 16), row[1], row[2]
        if name.endswith(", First>"):
            first = code
            continue
        start = first if name.endswith(", Last>") else code
        first = None
        if category == "Cs":
            continue
        if ranges and ranges[-1][1] + 1 == start:
            ranges[-1][1] = code
        else:
            ranges.append([start, code])
    return ranges


def foldings():
    """(one to one, one to many), statuses C and F."""
    one, many = {}, {}
    for code, status, mapping, *_ in rows("CaseFolding.txt"):
        target = [int(part, 16) for part in mapping.split()]
        if status == "C":
            (one[int(code, 16)],) = target
        elif status == "F":
            many[int(code, 16)] = target
    return one, many


def runs(one):
    """[first, count, step, delta]: `count` code points, `step` apart, each + `delta`."""
    out = []
    for code in sorted(one):
        delta = one[code] - code
        if out:
            run = out[-1]
            gap = code - (run[0] + (run[1] - 1) * run[2])
            if delta == run[3] and (gap == run[2] or (run[1] == 1 and gap <= 2)):
                run[2] = gap
                run[1] += 1
                continue
        out.append([code, 1, 1, delta])
    return out


def literal(name, doc, data):
    lines = [f"/// {doc}", "#[rustfmt::skip]", f"pub(super) const {name}: &[u8] = &["]
    line = "   "
    for byte in data:
        piece = f" {byte},"
        if len(line) + len(piece) > 100:
            lines.append(line)
            line = "   "
        line += piece
    return "\n".join(lines + [line, "];"])


def main():
    (version,) = {
        line.split("-")[1].split(".txt")[0]
        for line in (FOLDER / "CaseFolding.txt").read_text(encoding="utf-8").splitlines()[:1]
    }
    assert version == "15.0.0", f"wanted Unicode 15.0.0, found {version}"

    assigned, at = bytearray(), 0
    for start, end in assigned_ranges():
        assigned += number(start - at) + number(end - start)
        at = end + 1

    one, many = foldings()
    simple, at = bytearray(), 0
    for first, count, step, delta in runs(one):
        simple += number(first - at) + number((count - 1) * 2 + (step - 1)) + signed(delta)
        at = first + (count - 1) * step
    full, at = bytearray(), 0
    for code in sorted(many):
        full += number(code - at) + number(len(many[code]))
        for target in many[code]:
            full += number(target)
        at = code

    parts = [
        "//! Made by tools/unicode.py from Unicode 15.0.0; not to be edited.",
        literal(
            "ASSIGNED",
            "Assigned code points: pairs (gap since the last range, length - 1).",
            assigned,
        ),
        literal(
            "SIMPLE",
            "Case folding, status C: triples (gap since the last code point, (count - 1) * 2 +\n"
            "/// step - 1, zigzag delta).",
            simple,
        ),
        literal(
            "FULL",
            "Case folding, status F: (gap since the last code point, how many, each target).",
            full,
        ),
    ]
    TARGET.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


main()
