"""Small valid inputs of every kind, written by the project's own writers or by hand: folders, name to bytes."""

from __future__ import annotations

import io
import json
from typing import Any

Files = dict[str, bytes]

SCORES = "paper,reviewer,score,confidence\np1,Ann,6,3\np1,Bob,7: good,\np2,Ann,5.5,4\np1,Ann,6,3\n"
LETTER = """# Response to the reviewers

Thank you.

## Reviewer 1

> **R1.1** It is unclear how "step 3" was measured. Please report it in Table 2.

We agree; Section 4.2 now says so [1].

> 2. The baseline is weak.
> Please add another.

**Response:** Done.

## Reviewer 2

Comment 1: Typos on p. 3, l. 120-125.

Reply: Corrected, see $x_i^2$ and `code`.
"""
HTML = """<!DOCTYPE html><html><body><h2>Reviewer 1</h2><blockquote><p>Why <b>two</b> sites?</blockquote>
<p style="color:#00f">See <a href="https://example.org">Table 2</a>.</p><ul><li>one<li>two</ul>
<table><tr><td>Asked</td><td>Said</td></tr></table></body></html>"""
ORG = """#+TITLE: Response
* Reviewer 1
#+BEGIN_QUOTE
Why /two/ sites?
#+END_QUOTE
See [[https://example.org][Table 2]] and =x=.
"""
TEX = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\newcommand{\rev}[1]{\textbf{#1}}
\begin{document}
\section*{Reviewer 1}
\begin{quote} \rev{Comment 1.} It is unclear how \emph{step 3} was measured, na\"ive. \end{quote}
\textit{We agree}; see Section~\ref{sec} and $x_i^2$.
\begin{enumerate}\item One. \item \textcolor{blue}{Two \verb|x|.}\end{enumerate}
\begin{tabular}{ll} Comment & Reply \\ a & b \end{tabular}
\end{document}
"""
REVIEW = """Summary: A paper on bridges.

Strengths
- Clear writing.

Weaknesses:
1. The baseline is weak; why not "B"?
2) No error bars.

Rating: 6: marginally above
Confidence: 3
"""
BIB = """@string{j = "J. of Bridges"}
@article{key1, title = {On {Bridges} and "Roads"}, author = {Example, Ada and M{\\"u}ller, B.}, year = 2020,
  journal = j, doi = {10.1000/xyz}, abstract = "Long."}
@comment{no}
"""
RIS = "TY  - JOUR\nTI  - On Bridges\nAU  - Example, Ada\nPY  - 2020/01\nDO  - 10.1000/xyz\nAB  - Long.\nER  - \n"
ANNOTATED = (
    '"It is clear\\u2019s. [[OAL-POS], [CLA-POS]] The baseline is weak. [[EXP-NEG,MET-NEU], [CMP-NEG]] Bye. '
    '[[OAL-NEU],[null]]"'
)


def dumped(value: Any) -> bytes:
    """JSON as bytes."""
    return json.dumps(value, ensure_ascii=False).encode()


def lines(*values: Any) -> bytes:
    """JSON Lines as bytes."""
    return b"".join(dumped(value) + b"\n" for value in values)


NOTES = {
    "notes": [
        {
            "id": "f1",
            "forum": "f1",
            "invitations": ["V/-/Submission"],
            "signatures": ["~Ada_Example1"],
            "content": {"title": {"value": "On bridges"}, "abstract": {"value": "We build."}},
            "details": {
                "directReplies": [
                    {
                        "id": "r1",
                        "forum": "f1",
                        "replyto": "f1",
                        "invitations": ["V/-/Official_Review"],
                        "signatures": ["V/Reviewer_ab1Z"],
                        "number": 1,
                        "tcdate": 1700000000000,
                        "content": {
                            "review": {"value": "Weaknesses: the baseline is weak. " * 8},
                            "rating": {"value": "6: ok"},
                            "confidence": {"value": 3},
                        },
                    },
                    {
                        "id": "r2",
                        "forum": "f1",
                        "replyto": "r1",
                        "invitations": ["V/-/Official_Comment"],
                        "signatures": ["V/Authors"],
                        "cdate": 1,
                        "content": {
                            "comment": {"value": "> the baseline is weak\n\nWe added another one to the table."}
                        },
                    },
                    {
                        "id": "r3",
                        "replyto": "f1",
                        "invitation": "V/-/Meta_Review",
                        "signatures": [],
                        "content": {"decision": "Accept (Poster)", "metareview": "Fine words about it all."},
                    },
                ]
            },
        }
    ]
}
FORM = {
    "id": "V/-/Review",
    "edit": {
        "note": {
            "content": {
                "summary": {
                    "order": 1,
                    "description": "Say.",
                    "value": {"param": {"type": "string", "maxLength": 5000, "input": "textarea"}},
                },
                "rating": {
                    "order": 2,
                    "value": {"param": {"type": "integer", "enum": [1, {"value": 2, "description": "two"}, 3]}},
                },
                "old": {"order": 3, "value-regex": "[\\S\\s]{1,200}", "required": True},
                "drop": {"value-dropdown": ["1: no", "2: yes"], "required": False},
            }
        }
    },
}
EDITS = lines(
    {
        "doc_id": "d",
        "source_pdf_id": "old",
        "target_pdf_id": "new",
        "edits": [
            {"edit_id": 1, "source_idxs": [0], "target_idxs": [0]},
            {"edit_id": 2, "source_idxs": [], "target_idxs": [1]},
        ],
    }
)
COMMENTS = lines(
    {
        "doc_id": "d",
        "comment_id": "c1",
        "comment": "Say why. [...] Now.",
        "comment_context": "Say why. Well. Now.",
        "comment_spans": [[0, 3]],
        "block_span": [0, 5],
        "action": "report",
        "response": "Done.",
    }
)
LABELS = lines({"doc_id": "d", "comment_id": "c1", "positive_edits": [1], "negative_edits": [2], "state": "linked"})
S2ORC = {
    "paper_id": "old",
    "title": "T",
    "abstract": [{"text": "A"}],
    "pdf_parse": {
        "body_text": [{"text": "One.", "section": "S"}, {"text": "Two.", "section": "S"}],
        "back_matter": [{"text": "Z"}],
    },
}
ANNOTATIONS = {
    "@context": "http://www.w3.org/ns/anno.jsonld",
    "type": "AnnotationPage",
    "items": [
        {
            "id": "urn:1",
            "type": "Annotation",
            "motivation": "linking",
            "creator": {"name": "Ada"},
            "body": [{"type": "TextualBody", "purpose": "assessing", "value": "0.5"}],
            "target": [
                {"id": "urn:rejoinder:comment:c1", "selector": [{"type": "TextQuoteSelector", "exact": "x"}]},
                {"id": "urn:rejoinder:edit:e1", "source": "new", "selector": {"exact": "y"}},
            ],
        },
        {
            "id": "urn:2",
            "type": "Annotation",
            "motivation": "assessing",
            "body": {"purpose": "tagging", "value": "linked"},
            "target": {"id": "urn:rejoinder:comment:c1"},
        },
    ],
}
CSL = [
    {
        "id": "1",
        "type": "article",
        "title": "On bridges",
        "issued": {"date-parts": [[2020]]},
        "DOI": "10.1/x",
        "author": [{"family": "Example", "given": "Ada", "suffix": "Jr."}],
        "container-title": ["J"],
    }
]
AUTHOR = {
    "authorId": "7",
    "name": "Ada",
    "papers": [
        {
            "paperId": "p1",
            "title": "On bridges",
            "abstract": None,
            "year": 2020,
            "authors": [{"name": "Ada"}],
            "venue": "J",
            "externalIds": {"DOI": "10.1/x", "ArXiv": "2001.00001"},
            "openAccessPdf": {"url": "http://x"},
            "isOpenAccess": True,
            "fieldsOfStudy": ["CS"],
        }
    ],
}
PAIR = {
    "metadata": {"review_id": "r", "forum_id": "f", "title": "T", "reviewer": "R1", "annotator": "a"},
    "review_sentences": [
        {
            "text": "Weak.",
            "suffix": "\n",
            "review_action": "arg_evaluative",
            "fine_review_action": "x",
            "aspect": "asp_clarity",
            "polarity": "pol_negative",
        }
    ],
    "rebuttal_sentences": [
        {
            "text": "Done.",
            "suffix": "",
            "rebuttal_stance": "concur",
            "rebuttal_action": "rebuttal_done",
            "alignment": ["context_sentences", [0]],
        }
    ],
}
RATINGS = (
    "ParticipantID\t"
    + "\t".join(f"Paper{n}" for n in range(1, 11))
    + "\t"
    + "\t".join(f"Expertise{n}" for n in range(1, 11))
    + "\nada\tp1\tp2"
    + "\t" * 8
    + "\t4.0\t2.5"
    + "\t" * 8
    + "\n"
)
EXPERTISE: Files = {
    "evaluations.csv": RATINGS.encode(),
    "papers/p1.json": dumped(
        {"ssId": "p1", "title": "On bridges", "abstract": "A", "year": 2020, "authors": [{"name": "A"}]}
    ),
    "papers/p2.json": dumped({"ssId": "p2", "title": "On roads", "authors": ["B"]}),
    "participants/ada.json": dumped({"name": "Ada", "papers": [{"paperId": "p1"}]}),
    "txts/p1.json": dumped({"bridge": 3}),
    "profiles_d.json": dumped({"d_20_1": {"ada": ["p1"]}}),
    "predictions/tpms_d_ta.json": dumped({"ada": {"p1": 0.5}}),
}
OPENREVIEW: Files = {
    "archives/~Ada_Example1.jsonl": lines(
        {"id": "p1", "content": {"title": "On bridges", "abstract": {"value": "A"}}, "cdate": 1600000000000}
    ),
    "submissions.jsonl": lines(
        {"id": "s1", "content": {"title": "T", "abstract": "B", "year": 2020, "authors": ["X"]}}
    ),
}
VENUE: Files = {
    "papers.jsonl": lines({"id": "s1", "title": "T", "abstract": "A", "year": 2020}),
    "profiles.csv": b"reviewer,id,title,abstract\nada,p1,On bridges,A\nada,s1,,\n",
    "texts.jsonl": lines({"id": "s1", "text": "Long."}),
}
_CHOSEN = b"aspects\tsections\taction\tcanonical_rebuttal\nArg_other\tEXP\trebuttal_done\tDone.\n"
_TABLES = "canonical_rebuttals_and_descs/all_c"
JITSU: Files = {
    f"{_TABLES}luster_descs.tsv": b"aspects\tsections\tdescs\nArg_other\tEXP\tWeak\n",
    f"{_TABLES}anonical_rebuttals.tsv": _CHOSEN,
    f"{_TABLES}anonical_rebuttals_scores.tsv": _CHOSEN.replace(b"rebuttal\n", b"rebuttal\tscores\n").replace(
        b".\n", b".\t0.5\n"
    ),
    "Arg_other/review/EXP.txt": b"Weak.\n",
    "Arg_other/rebuttal/EXP.txt": b"Done.\n",
    "Arg_other/actions/EXP.txt": b"rebuttal_done\n",
    "scoring_train.csv": b"descs\tscores\nd [SEP] rebuttal_done [SEP] Done.\t0.5\n",
    "descriptions_train.csv": b"reviews\tdescs\nWeak.\tDesc\n",
    "canonical_rebuttals_train.csv": b"reviews\tcanonical_rebuttals\nWeak' [SEP] 'rebuttal_done\tDone.\n",
}
TEMPLATE = {"id": "done-1", "action": "task_done", "roots": [], "themes": [], "text": "We did {edit}.", "version": 1}
MODEL: Files = {
    "config.json": dumped({"architectures": ["BertModel"], "model_type": "bert", "max_position_embeddings": 512}),
    "README.md": b"---\nlicense: mit\n---\n# A\n",
    "model.safetensors": (56).to_bytes(8, "little")
    + b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}  '
    + b"\0" * 4,
    "tokenizer_config.json": b"{}",
    "card.json": dumped({"layers": ["polarity"], "targets": [], "learnt": {}}),
}
SETS = [
    {
        "id": "p",
        "title": "T",
        "review_markdown": "## Summary\n\nS\n\n## Weaknesses\n\n- w",
        "scores": {"rating": 6},
        "decision": "Accept",
        "rubrics": [{"title": "x", "description": "d", "weight": 1, "key_points": []}],
        "reviews": [{"reviewer": "R", "content": {"summary": {"value": "S"}}}],
        "golden_review": "## Summary\n\nG",
        "initial_scores": {"rating": 5},
        "initial_review": "## Summary\n\nI",
        "paper_context": "P",
    },
    {"id": "q", "model_prediction": {"meta_review": {"content": "## Summary\n\nM", "rating": 4}, "decision": "Reject"}},
]
OWN_SET = {
    "benchmark_paper": {"id": "p", "title": "T"},
    "rubrics": [],
    "benchmark_reviews": [{"id": "r1", "paper_id": "p", "source": "s", "review": {}, "role": "human"}],
}


def docx() -> bytes:
    """A response letter in Word: a table, a list, a quotation, a link."""
    import docx as word

    made = word.Document()
    made.add_heading("Reviewer 1", 1)
    made.add_paragraph("The baseline is weak.", style="Intense Quote")
    made.add_paragraph("We added one.", style="List Number")
    table = made.add_table(2, 2)
    for cell, words in zip(
        (c for row in table.rows for c in row.cells), ("Comment", "Reply", "Why?", "So."), strict=True
    ):
        cell.text = words
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def xlsx() -> bytes:
    """A table of scores."""
    from engine.exchange.io import xlsx_file

    rows = [["p1", "Ann", 6, 3], ["p1", "Bob", 7, None], ["p2", "Ann", 5.5, 4]]
    return xlsx_file("s.xlsx", {"scores": (("paper", "reviewer", "score", "confidence"), rows)}).content


def parquet() -> bytes:
    """A table of scores with texts, numbers and gaps."""
    import pandas as pd

    from engine.exchange.io import frame_file

    return frame_file("s.parquet", pd.DataFrame({"paper": ["p1", "p2", None], "score": [1.5, None, 2.0]})).content


def pdf(text: bytes = b"BT /F1 12 Tf 72 720 Td (On bridges) Tj 0 -30 Td (We build a bridge of wood.) Tj ET") -> bytes:
    """A page with two lines, the cross-reference table right."""
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    return _assembled(parts)


def _assembled(parts: list[bytes]) -> bytes:
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1) + b"".join(
        b"%010d 00000 n \n" % at for at in places
    )
    return out + table + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(parts) + 1, len(out))


def pdf_bomb(mega: int = 1000) -> bytes:
    """A page whose content is ``mega`` million drawn letters, packed twice: a few kilobytes on disk."""
    import zlib

    inner = zlib.compress(b"(x) Tj " * (mega * 1_000_000 // 7), 9)
    packed = zlib.compress(inner, 9)
    head = b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n" % len(packed)
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
        head + packed + b"\nendstream",
    ]
    return _assembled(parts)
