"""Review forms of a person's own: files in their folder, of which a broken one harms no other."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.exchange.review_form import form_named, own_forms, read_form
from engine.review_drafting.form_files import BYTES, FILES, folder, form_files
from engine.review_drafting.forms import FIELDS, shipped, state
from tests.engine.exchange.test_review_form import SECOND

FIELD = '[[field]]\nkey = "summary"\ntitle = "Summary"\npart = "summary"\n'
FORM = f'title = "My venue"\nnote = "Of 2026."\n{FIELD}'


def put(name: str, content: str | bytes) -> Path:
    folder().mkdir(parents=True, exist_ok=True)
    path = folder() / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def problem_of(name: str, content: str | bytes) -> str:
    """What is said of a bad file beside a good one, which must be offered all the same."""
    put("a-good.toml", FORM.replace("My venue", "A good one"))
    put(name, content)
    own = own_forms()
    assert list(own.forms) == ["a-good"]
    [problem] = own.problems
    assert problem.startswith(f"{name}: ")
    return problem


def test_no_folder_no_forms() -> None:
    assert own_forms().forms == {} and list(form_files()) == []


def test_a_form_that_ships_can_be_copied_and_changed() -> None:
    text = (resources.files("resources") / "review_forms" / "iclr.toml").read_text(encoding="utf-8")
    put("My Venue_2026.toml", text.replace('title = "ICLR"', 'title = "My venue"', 1))
    form = form_named("my-venue-2026")
    assert (form.id, form.title, form.fields) == ("imported", "My venue", shipped("iclr").fields)
    assert [(file.key, file.title) for file in form_files()] == [("my-venue-2026", "My venue")]


def test_a_form_of_openreview_has_the_name_of_its_file() -> None:
    put("workshop.json", json.dumps(SECOND))
    form = form_named("workshop")
    assert form.title == "workshop" and form.fields[0].key == "summary"
    assert form_named("icml") == shipped("icml")


def test_values_of_choices_are_numbers_or_words() -> None:
    put(
        "a.toml",
        FORM + '[[field]]\nkey = "s"\ntitle = "S"\nkind = "choice"\noptions = [[2.5, "fair"], ["No", ""], [1]]\n',
    )
    field = form_named("a").fields[1]
    assert [option.value for option in field.options] == ["2.5", "No", "1"]
    assert state(field, "2.5").problem == "" and "no choice" in state(field, "2").problem


def test_an_unknown_name_lists_the_forms_and_what_could_not_be_read() -> None:
    put("bad.toml", "title = ")
    with pytest.raises(BadInput, match=r"no form “bad”\. bad\.toml: It isn't valid TOML.*iclr, icml.*review-forms"):
        form_named("bad")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.toml", "title = [", "isn't valid TOML"),
        ("x.toml", b"title = \xff", "isn't UTF-8"),
        ("x.toml", "a = " + "[" * 50_000, "too deeply"),
        ("x.toml", "a = " + "9" * 5_000, "a number that is too long"),
        ("x.toml", f"# {'x' * BYTES}\n{FORM}", "larger than 200 KB"),
        ("x.toml", FIELD, "no title"),
        ("x.toml", "title = 3\n" + FIELD, "no title"),
        ("x.toml", f'title = "{"x" * 81}"\n{FIELD}', "more than 80 characters"),
        ("x.toml", f'title = "Up\\u202edown"\n{FIELD}', "control characters"),
        ("x.toml", FORM.replace('"Summary"', '"Sum\\u001bmary"'), "control characters"),
        ("x.toml", FORM.replace('"Summary"', '"Sum\\nmary"'), "line breaks"),
        ("x.toml", FORM + 'help = "a\\u0007b"\n', "control characters"),
        ("x.toml", FORM + f'help = "{"x" * 10_001}"\n', "too long"),
        ("x.toml", 'title = "X"\n', "needs a key"),
        ("x.toml", 'title = "X"\nfield = 3\n', "needs a key"),
        ("x.toml", 'title = "X"\nfield = ["a"]\n', "needs a key"),
        ("x.toml", FORM.replace('key = "summary"\n', ""), "Field 1, key: Field required"),
        ("x.toml", FORM + "colour = 3\n", "colour: Extra inputs"),
        ("x.toml", "fields = 3\n" + FORM, "needs a key"),
        ("x.toml", FORM + 'kind = "slider"\n', "kind"),
        ("x.toml", FORM + 'kind = "choice"\n', "a choice without options"),
        ("x.toml", FORM + 'options = [["a", "b"]]\n', "isn't a choice"),
        ("x.toml", FORM + 'kind = "choice"\noptions = [["a", "b", "c"]]\n', "pairs"),
        ("x.toml", FORM + 'kind = "choice"\noptions = [[1, 2]]\n', "Field 1, option 1, words: "),
        ("x.toml", FORM + 'kind = "choice"\noptions = [[1, "b"], [1.0, "c"]]\n', "is used twice"),
        ("x.toml", FORM + "least = 9\nlimit = 8\n", "limit"),
        ("x.toml", FORM + "limit = 99999999999\n", "limit"),
        ("x.toml", FORM + FIELD, "Two fields have the key “summary”"),
        ("x.toml", FORM + "".join(FIELD.replace('"summary"', f'"{n}"', 1) for n in range(FIELDS)), "than 100 fields"),
        ("iclr.toml", FORM, "Another form is named “iclr”"),
        ("a_good.json", json.dumps(SECOND), "Another form is named “a-good”"),
        ("x.toml", FORM.replace("My venue", "a GOOD one"), "Another form has the title “a GOOD one”"),
        ("x.toml", FORM.replace("My venue", "NeurIPS"), "Another form has the title"),
        ("___.toml", FORM, "Another form is named “”"),
        ("x.json", "{", "isn't valid JSON"),
        ("x.json", "[" * 50_000, "too deeply"),
        ("x.json", '{"a": 1}', "no readable review form"),
    ],
)  # fmt: skip
def test_a_bad_file_is_named_and_harms_no_other(name: str, content: str | bytes, words: str) -> None:
    assert words in problem_of(name, content)


def test_what_is_no_regular_file_or_too_much_is_left_alone(tmp_path: Path) -> None:
    folder().mkdir(parents=True)
    (folder() / "folder.toml").mkdir()
    (folder() / "gone.toml").symlink_to(tmp_path / "none")
    os.mkfifo(folder() / "pipe.toml")
    put("notes.txt", "mine")
    assert [file.problem for file in form_files()] == ["It isn't a regular file."] * 3
    for number in range(FILES):
        put(f"a{number}.toml", FORM.replace("My venue", f"Venue {number}"))
    own = own_forms()
    assert len(own.forms) == FILES and len(own.problems) == 3 and "more than 50" in own.problems[0]


def test_an_imported_form_keeps_to_the_same_rules() -> None:
    content = {"a": {"order": 1, "description": "x\u001b[2J", "value": {"param": {"type": "string"}}}}
    with pytest.raises(BadInput, match="control characters"):
        read_form(json.dumps(content), "f.json")
