"""Every wrong option is refused in one line that names it, before anything is read or written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from honem.cli import main

READING = [
    ("p.txt --format xml", "--format"),
    ("p.txt --header -1", "--header"),
    ("p.txt --header x", "--header"),
    ("p.txt --empty drop", "--empty"),
    ("p.txt --delimiter ''", "--delimiter"),
    ("p.txt --comment ''", "--comment"),
    ("p.txt --missing skip", "--missing skip does not apply to text"),
    ("p.txt --weight w", "--weight w does not apply to text"),
    ("p.txt --entity e --node n", "--entity"),
    ("p.txt --field f", "--field f does not apply to text"),
    ("p.txt --max-gap 6h", "--max-gap 6h needs times"),
    ("p.txt --max-gap 6moons", "--max-gap must be a number above 0"),
    ("p.txt --max-gap -1", "--max-gap must be a finite number above 0"),
    ("p.txt --back-token <", "--back-token and --back must be given together"),
    ("p.txt --back drop", "--back-token"),
    ("p.txt --back-token < --back forth", "--back"),
    ("p.txt --max-length 0", "--max-length"),
    ("p.txt --min-length 0", "--min-length"),
    ("p.txt --max-nodes 0", "--max-nodes"),
    ("p.txt --max-line-bytes 0", "--max-line-bytes"),
    ("p.txt --max-bytes 1G", "--max-bytes"),
    ("p.txt --max-expansion -3", "--max-expansion"),
    ("p.csv", "--entity and --node"),
    ("p.csv --entity e", "--node, or --lon, --lat and --grid"),
    ("p.csv --entity e --node n --grid 0.1", "--node n and --grid cannot be combined"),
    ("p.csv --entity e --lon x --lat y --grid 0", "--grid must be a finite number of at least 1e-09"),
    ("p.csv --entity e --lon x --lat y --grid 9parsec", "--grid must be a number of degrees such as 0.01, a length"),
    ("p.csv --entity e --node n --delimiter ::", "--delimiter must be one ASCII character"),
    ("p.csv --entity e --node n --id-column", "--id-column does not apply to event tables"),
    ("p.csv --entity e --node n --max-gap 1h", "--max-gap 1h needs times"),
    ("p.csv --format csv", "--entity and --node"),
    ("p.jsonl --weight w", "--weight w names a field; name the --field"),
    ("p.jsonl --delimiter ,", "--delimiter , does not apply to JSON lines"),
    ("p.json", "--format jsonl"),
    ("p.jsonl p.parquet --entity e --node n", "cannot be read together"),
    ("no*.txt --weight w", "--weight w does not apply to text"),
]
EXTRACTION = [
    ("--min-support 0", "--min-support"),
    ("--min-support x", "--min-support"),
    ("--support both", "--support"),
    ("--criterion chance", "--criterion"),
    ("--criterion divergence --tau -1", "--tau must be a finite number of at least 0"),
    ("--criterion divergence --tau nan", "--tau must be a finite number of at least 0"),
    ("--tau x", "--tau"),
    ("--tau 1", "--tau 1.0 has no effect with --criterion significance; it belongs to --criterion divergence"),
    ("--alpha 0", "--alpha must be a finite number above 0 and below 1"),
    ("--alpha 1", "--alpha must be a finite number above 0 and below 1"),
    ("--alpha 2", "--alpha must be a finite number above 0 and below 1"),
    ("--alpha nan", "--alpha must be a finite number above 0 and below 1"),
    ("--alpha x", "--alpha"),
    ("--criterion divergence --alpha 0.05", "--alpha 0.05 has no effect with --criterion divergence"),
    ("--count ships", "--count"),
    ("--support transition", "--support transition is not possible with --criterion significance"),
    ("--lower-orders hon", "--lower-orders hon is not possible with --criterion significance"),
    ("--max-order 0", "--max-order"),
    ("--lower-orders none", "--lower-orders"),
    ("--engine fast", "--engine"),
    ("--threads 0", "--threads"),
    ("--threads -2", "--threads"),
    ("--engine reference --threads 2", "--threads 2 does not apply to --engine reference"),
]
SPARK = [
    ("--master local[2]", "--master local[2] applies only to --engine spark"),
    ("--engine spark --threads 2", "--threads 2 does not apply to --engine spark"),
]
EMBED = [
    ("-o v --names port", "--names is a column of --labels FILE"),
    ("-o v --dim 0", "--dim"),
    ("-o v --dim x", "--dim"),
    ("-o v --seed -1", "--seed"),
    ("-o v --preset best", "--preset"),
    ("-o v --preset paper --alpha 0.05", "--alpha 0.05 has no effect with --criterion divergence"),
    ("-o v --preset paper --criterion significance --tau 1", "--tau 1.0 has no effect with --criterion significance"),
    ("-o v --weighting none", "--weighting"),
    ("-o v --order-weights none", "--order-weights"),
    ("-o v --transforms both_ways,log", "--transforms must be one of 'both_ways'"),
    ("-o v --spectrum 3", "--spectrum must be one or two numbers from 0 to 2"),
    ("-o v --spectrum 1,half", "--spectrum"),
    ("-o v --spectrum 1,1,1", "--spectrum"),
    ("-o v --tilt 0.6", "--tilt must be a number from -0.5 to 0.5"),
    ("-o v --factorization weighted --zero-weight 2", "--zero-weight must be above 0 and at most 1"),
    ("-o v --zero-weight 0.1", "--zero-weight is not an option of --factorization svd"),
    ("-o v --preset auto --tilt 0.1", "--tilt is chosen by --preset auto"),
    ("-o v --tune-for speed", "invalid choice: 'speed'"),
    ("-o v --solver quick", "--solver"),
    ("-o v --estimate --engine spark", "--estimate measures the local engine"),
    ("-o no/v", "--output no/v cannot be written"),
    ("-o there", "--output"),
    ("-o file", "--output"),
    ("", "-o/--output"),
]
BAD = {
    "info": [*READING, *((f"p.txt {words}", name) for words, name in EXTRACTION)],
    "embed": [
        *((f"p.txt {words}", name) for words, name in EMBED),
        *((f"p.txt -o v {words}", name) for words, name in (*EXTRACTION, *SPARK)),
        *((f"{words} -o v", name) for words, name in READING),
    ],
    "rules": [
        *((f"p.txt {words}", name) for words, name in (*EXTRACTION, *SPARK)),
        ("p.txt -o r.xls", "--output 'r.xls' has the extension '.xls'"),
        ("p.txt -o r", "--output 'r' has no extension"),
        ("p.txt -o no/r.csv", "--output no/r.csv cannot be written"),
        ("p.txt -o there.csv", "--output there.csv cannot be written"),
        *((f"{words} -o r.csv", name) for words, name in READING[:6]),
    ],
    "network": [
        ("p.txt", "-o/--output"),
        ("p.txt -o n.xls", "--output 'n.xls' has the extension '.xls'"),
        ("p.txt -o -", "--output '-' has no extension"),
        ("p.txt -o no/n.csv", "--output no/n.csv cannot be written"),
        ("p.txt -o n.csv --kind second", "--kind"),
        *((f"p.txt -o n.csv {words}", name) for words, name in EXTRACTION),
        *((f"{words} -o n.csv", name) for words, name in READING[:6]),
    ],
    "neighbors": [
        ("nowhere A -n 0", "-n"),
        ("nowhere A -n x", "-n"),
        ("nowhere A --space near", "--space"),
    ],
    "next": [
        ("nowhere A -k 0", "-k"),
        ("nowhere A -k x", "-k"),
        ("nowhere", "--histories"),
        ("nowhere A --histories f", "--histories"),
    ],
    "sample": [("nowhere -n 0", "-n"), ("nowhere --length 0", "--length"), ("nowhere --seed -1", "--seed")],
    "explain": [("nowhere A -n 0", "-n"), ("nowhere A B -n -1", "-n")],
    "compare": [
        ("nowhere nowhere -k 0", "-k"),
        ("nowhere nowhere -n 0", "-n"),
        ("nowhere nowhere --space near", "--space"),
    ],
    "explore": [
        ("nowhere --seed -1", "--seed"),
        ("nowhere --port 99999", "--port"),
        ("nowhere --port -1", "--port"),
        ("nowhere --projection umap", "--projection"),
        ("nowhere --serve -o page.html", "--serve"),
        ("nowhere -o no/page.html", "--output no/page.html cannot be written"),
    ],
    "export": [
        ("nowhere", "-o/--output"),
        ("nowhere -o x.doc", "--output 'x.doc' has the extension '.doc'"),
        ("nowhere -o x --format doc", "--format"),
        ("nowhere -o x --format gexf --what vectors", "--format must be one of"),
        ("nowhere -o x.csv --what words", "--what"),
        ("nowhere -o x.vec --vectors all", "--vectors"),
        ("nowhere -o x.csv --vectors target", "--vectors does not apply to vectors as csv"),
        ("nowhere -o x.ngram --order 0", "--order"),
        ("nowhere -o x.csv --order 1", "--order does not apply to vectors as csv"),
        ("nowhere -o x.jsonl --spreadsheet-safe", "--spreadsheet-safe does not apply to rules as jsonl"),
        ("nowhere -o x.csv --kind second", "--kind"),
        ("nowhere -o - --format npz", "npz cannot be written to stdout"),
        ("nowhere -o no/x.csv", "--output no/x.csv cannot be written"),
    ],
    "demo": [
        ("--trips 10", "--trips"),
        ("--trips x", "--trips"),
        ("--seed -1", "--seed"),
        ("-o file", "--output file cannot be written"),
        ("-o file/demo", "--output file/demo cannot be written"),
    ],
}
CASES = [(f"{command} {words}".strip(), name) for command, cases in BAD.items() for words, name in cases]


@pytest.mark.parametrize(("line", "name"), CASES, ids=[line for line, _ in CASES])
def test_a_wrong_option_is_refused_before_anything_is_read(
    line: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """None of the input files exists, and the error is nevertheless about the option."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("a file")
    (tmp_path / "there.csv").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "letter.txt").write_text("not a store")
    before = sorted(os.listdir())
    try:
        code = main(["" if word == "''" else word for word in line.split(" ")])
    except SystemExit as left:
        code = int(left.code or 0)
    output = capsys.readouterr()
    assert (code, output.out) == (2, ""), output
    (message,) = output.err.splitlines()
    assert message.startswith("honem")
    assert ": error: " in message
    assert name in message, message
    assert "no such file" not in message
    assert "nowhere" not in message
    assert sorted(os.listdir()) == before
