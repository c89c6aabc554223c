"""Rude and identifying sentences, all invented here: what is found, what passes, and that every place asks the same."""

from __future__ import annotations

import pytest

from engine.rebuttal.points import said
from engine.review_drafting.forms import shipped
from engine.review_drafting.readiness import findings
from engine.reviews.wording import check_wording

IDENTIFYING = """\
The authors should compare with my own paper (Quill et al. 2019).
This was already solved in our paper [12].
I proposed the same estimator in 2016 and it is not cited.
As the author of the tidal library, I find this misleading.
Please cite my work on drifting sensors.
We introduced this loss five years ago.
My PhD thesis covers exactly this case.
My student tried this last year without success.
In our group we see the opposite effect.
In my lab the same protocol failed twice.
Here at Norwich we measure this differently.
I work at Tidal Systems and know this data set.
Our hospital has treated forty such patients.
My former supervisor showed this to be wrong.
I am the maintainer of the package that is used here.
My collaborators at Exeter have released a better version.
The authors ignore our earlier results.
I am one of the developers of this simulator.
This extends our 2021 study without saying so.
I have published a similar theorem (Quill, 2018).
Citing our survey would help the reader.
My name is easy to guess from this remark.
I discussed this with the authors at a workshop.
We proved it in our article from 2015.
Our company ships a product that does this.
See my dissertation (Quill 2011) for a proof.
The work was funded by the Tidal Council.
You may write to a.quill@tides.example about it.
My code is at github.com/aquill/tides.
The idea is from our companion paper.
As an inventor of the method I object.
My advisor and I tried this in 2012.
I wrote the same in my book.
Sincerely, Prof. Quill
I teach at Oakham and use this text.
The log in /home/aquill/runs shows it.
We use the sieve that we described in [4].
As we proved in Quill and Marsh (2014), the series converges.
A shorter version of this paper appeared at a workshop in Oakham.
We thank Peter Quill for the drawings.
The senior author was supported by a Marsh fellowship.
The study was approved by the ethics board of the University of Oakham.
The runs were performed on the Heron cluster.
J.Q. collected the shells and A.M. wrote the text.
The results have been shown elsewhere by our group [7].
I was on the committee of the first author.
""".splitlines()
IMPERSONAL = """\
The authors should compare with the estimator of Quill et al. (2019).
My main concern is the size of the sample.
In our view the second claim is too strong.
I would like to see results on another data set.
My reading of Section 3 is that the noise is known.
The paper builds on earlier work by the same community.
I am not an expert on sensors.
Our understanding of the proof is limited.
My questions are listed below.
The authors released their code.
I have read the response and keep my score.
The method was proposed in 2016 and is not cited.
I could not reproduce Table 2 with the given settings.
My overall recommendation is to accept.
The students in the study were not paid.
The group of patients is small.
I work through the details in the order of the paper.
In 2015 the same theorem was proved for trees.
As we show in Table 3, the series converges.
We thank Reviewer 2 for this remark.
We are grateful to the Area Chair for the summary.
The study was approved by an ethics board.
The first author of [4] reports the same tide.
We use the sieve of [4].
The committee of the contest was paid.
""".splitlines()
RUDE = """\
This is a stupid, sloppy paper.
The authors have no clue about statistics.
Reading this was a waste of my time.
The results are utterly worthless.
Did anybody read this before it was sent out?!
The authors should be ashamed of this draft.
I have never read such a careless manuscript.
The writing is dreadful.
It reads like undergraduate homework.
The authors do not even understand their own equation.
This should never have been submitted.
Nothing but wishful thinking.
Are you serious?
The proof is completely ridiculous.
One of the worst manuscripts of the year.
Only an idiot would use this metric.
""".splitlines()
CIVIL = """\
The proof of Lemma 2 has a gap: the bound is used before it is shown.
The sample is too small for the claim in Section 4.
I enjoyed reading the paper, and the figures are clear.
The writing could be improved in Section 2.
It is not clear to me why the loss is divided by two.
The comparison leaves out two recent baselines.
Fraud detection is a good choice of application.
A lazy evaluation would save memory here.
""".splitlines()


@pytest.mark.parametrize("text", IDENTIFYING)
def test_what_shows_who_writes_is_found(text: str) -> None:
    assert check_wording(text, "reviewer").identity


@pytest.mark.parametrize("text", IMPERSONAL)
def test_what_anybody_could_write_passes(text: str) -> None:
    assert check_wording(text, "reviewer").identity == ()


@pytest.mark.parametrize("text", RUDE)
def test_rude_sentences_are_found(text: str) -> None:
    assert check_wording(text, "reviewer").tone


@pytest.mark.parametrize("text", CIVIL)
def test_civil_criticism_passes(text: str) -> None:
    assert check_wording(text, "reviewer").tone == ()


@pytest.mark.parametrize(
    "text",
    ["The reviewer fails to understand our method.", "Reviewer 2 has clearly not read it.", "This is a stupid remark."],
)
def test_rude_replies_are_found(text: str) -> None:
    assert check_wording(text, "author").tone


def test_what_is_found_before_the_export_of_a_review_is_what_the_check_finds() -> None:
    form = shipped("iclr")
    field = next(field for field in form.fields if field.kind == "text")
    text = f"{RUDE[0]} {IDENTIFYING[0]}"
    found = [one for one in findings(form, {field.key: text}, {}) if one.field == field.key]
    wording = check_wording(text, "reviewer")
    spans = {(one.span.start, one.span.end) for one in (*wording.tone, *wording.identity)}
    assert spans and {(one.start, one.end) for one in found if one.subject in ("tone", "identity")} == spans


def test_notes_that_do_not_leave_are_passed_over_in_the_editor_as_in_the_check_of_a_rebuttal() -> None:
    text = "%% Ask my student about this stupid remark.\n\nWe see this differently. My lab found the opposite."
    written, sent = check_wording(text, "author"), check_wording(said(text), "author")
    assert [one.words for one in written.identity] == [one.words for one in sent.identity] == ["My lab"]
    assert written.tone == sent.tone == ()
