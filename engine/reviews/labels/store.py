"""Stores the labels of a project's review sentences: suggestions and people's decisions."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from engine.errors import not_changed
from engine.project import Action, Store, records
from engine.project.tables import Row
from engine.reviews.labels.records import (
    LAYERS,
    LabelledReview,
    LabelledSentence,
    Layer,
    LayerLabel,
    OwnHeads,
    SentenceLabels,
    Suggestion,
)
from engine.reviews.labels.taxonomy import layer as layer_info
from engine.reviews.naming import find_label, reviewer_name
from engine.reviews.records import ActionClass, Comment, ReviewBundle, SourceText, Span
from engine.reviews.sentences import sentences_around
from engine.reviews.store import ReviewStore, quoted

PAPER_FIELD = "paper of the data set"
"""The field of an imported text that groups the reviews of one paper."""
REVIEW_FIELD = "review of the data set"
"""The field of an imported text with its id in the data set, by which other files of the data set refer to it."""
Place = tuple[int, int]


class LabelStore(Store):
    """Reads and writes ``sentence_label``, ``sentence_label_decision`` and ``sentence_suggestion``.

    Reading methods return the acting annotator's own labels, and labels from a file where there is no own one. A
    suggestion that was decided on isn't shown again, whatever a later run suggests.
    """

    # readers --------------------------------------------------------------------------------------------------------

    def labels(self, source_id: str) -> tuple[SentenceLabels, ...]:
        """Returns the decided labels by sentence, in text order. Sentences without a label are left out."""
        return _sentences(source_id, self._decided(source_id))

    def suggestions(self, source_id: str) -> tuple[Suggestion, ...]:
        """Returns suggestions that are neither decided on nor overridden by a label, in order of text, then layer."""
        decided = self._decided(source_id)
        refused = {
            (row["start_offset"], row["end_offset"], row["layer"])
            for row in self._project.query(
                "SELECT start_offset, end_offset, layer FROM sentence_label_decision WHERE source_id = ?"
                " AND annotator_id = ?",
                (source_id, self._project.annotator_id),
            )
        }
        found = [
            Suggestion(source_id, Span(*place), label)
            for place, offered in self._offered(source_id).items()
            for label in offered.values()
            if label.layer not in decided.get(place, {}) and (*place, label.layer) not in refused
        ]
        return tuple(sorted(found, key=lambda s: (s.span.start, s.span.end, LAYERS.index(s.label.layer))))

    def read(self, source_id: str) -> tuple[SentenceLabels, ...]:
        """Returns all labels of each sentence: decided ones, and suggestions (``offered``) for other layers."""
        together: dict[Place, dict[Layer, LayerLabel]] = defaultdict(dict)
        for suggestion in self.suggestions(source_id):
            together[suggestion.span.start, suggestion.span.end][suggestion.label.layer] = suggestion.label
        decided = self._decided(source_id)
        for place, labels in decided.items():
            together[place].update(labels)
        return tuple(
            replace(one, offered=frozenset(together[place].keys() - decided.get(place, {}).keys()))
            for place, one in zip(sorted(together), _sentences(source_id, together), strict=True)
        )

    def sentence_spans(self, source_id: str) -> tuple[Span, ...]:
        """Returns the sentences of a text: labelled ones as they were labelled (a file or an earlier version may split
        differently), otherwise as ``split_sentences`` splits the rest. In a letter, only the reviewers' sentences,
        without labels such as "Comment 1:". A line that only says whose
        review it is isn't one."""
        reviews = ReviewStore(self._project)
        source, labelled = reviews.text(source_id), {one.span for one in self.labels(source_id)}
        found = sentences_around(source.text, labelled)
        found = tuple(s for s in found if s in labelled or reviewer_name(source.text[s.start : s.end]) is None)
        if source.kind != "letter":
            return found
        quoted = [at for one in reviews.comments(source_id=source_id) for at in (*one.spans, *one.context_spans)]
        asked = (s for s in found if any(s.start < q.end and q.start < s.end for q in quoted))
        said = {s for s in asked if (label := find_label(source.text, s.start, s.end)) is None or label.end < s.end}
        return tuple(s for s in found if s in labelled or s in said)

    def labelled_reviews(self) -> tuple[LabelledReview, ...]:
        """Returns all texts with decided labels, as training examples. Their ``paper`` is the text's paper, or the one
        stated by the data set, or the text itself."""
        rows = self._project.query(
            "SELECT t.id, t.paper_id FROM source_text t WHERE EXISTS"
            " (SELECT 1 FROM sentence_label l WHERE l.source_id = t.id) ORDER BY t.position, t.id"
        )
        reviews = ReviewStore(self._project)
        answered: dict[str, list[Comment]] = {}
        for comment in reviews.comments():
            if comment.response:
                answered.setdefault(comment.source_id, []).append(comment)
        found = []
        for row in rows:
            sentences = tuple(
                LabelledSentence(Span(*place), {name: label.labels for name, label in labels.items()})
                for place, labels in sorted(self._decided(row["id"]).items())
            )
            if sentences:
                text = reviews.text(row["id"])
                outside = dict(text.fields)
                note = outside.get("note", "") if "forum" in outside else ""  # as OpenReview's notes are imported
                found.append(
                    LabelledReview(
                        row["paper_id"] or outside.get(PAPER_FIELD, row["id"]), text, sentences,
                        comments=tuple(answered.get(text.id, ())), name=outside.get(REVIEW_FIELD, note),
                    )
                )  # fmt: skip
        return tuple(found)

    def counts(self) -> dict[Layer, int]:
        """Returns the number of sentences with a decided label in each layer (the acting annotator's, or a file's)."""
        rows = self._project.query(
            "SELECT layer, COUNT(*) FROM (SELECT DISTINCT source_id, start_offset, end_offset, layer"
            " FROM sentence_label WHERE annotator_id = ? OR imported) GROUP BY layer",
            (self._project.annotator_id,),
        )
        return {cast(Layer, row[0]): row[1] for row in rows}

    # a person's changes ---------------------------------------------------------------------------------------------

    def set_label(
        self, source_id: str, span: Span, layer: Layer, labels: Sequence[str], *, on_screen: bool | None = None
    ) -> None:
        """Labels a layer of a sentence; empty ``labels`` mean that none applies. If there was a suggestion, also stores
        whether it was right, and whether it was ``on_screen`` (None: unknown).

        Raises BadInput for a label that isn't in the layer, several labels in a single-label layer, or a span outside
        the text.
        """
        chosen = self._checked(source_id, span, layer, labels)
        words = f"Label {layer_info(layer).title.lower()} “{', '.join(chosen) or 'none'}”"
        title = self._titled(words, source_id, span)
        with self._project.action(title) as act:
            if on_screen is False:  # if it was rejected earlier without a label, it was seen then
                own = self._own(source_id, span, layer)
                labelled = act.db.table("sentence_label").count_where(_same(own) + " AND NOT imported", own)
                refused = act.db.table("sentence_label_decision").count_where(_same(own), own)
                on_screen = bool(refused and not labelled)
            self._settle(act, source_id, span, layer, chosen)
            self._write(act, source_id, [(span, LayerLabel(layer, chosen))], on_screen)

    def clear_labels(self, source_id: str, span: Span, layers: Sequence[Layer]) -> None:
        """Removes the acting annotator's labels and rejections in these layers, in one step; suggestions are open
        again, and labels from a file are shown again."""
        with self._project.action(self._titled("Clear label", source_id, span)) as act:
            for layer in layers:
                act.delete("sentence_label", **self._own(source_id, span, layer), imported=0)
                act.delete("sentence_label_decision", **self._own(source_id, span, layer))

    def accept(self, source_id: str, span: Span) -> tuple[Suggestion, ...]:
        """Accepts the suggestions for a sentence; returns them."""
        return self._accept([s for s in self.suggestions(source_id) if s.span == span])

    def accept_all(self, source_id: str) -> tuple[Suggestion, ...]:
        """Accepts all suggestions for the sentences of a text, in one step."""
        spans = set(self.sentence_spans(source_id))
        return self._accept([one for one in self.suggestions(source_id) if one.span in spans])

    def reject(self, source_id: str, span: Span) -> tuple[Suggestion, ...]:
        """Rejects the suggestions for a sentence, which aren't shown again; returns them."""
        refused = [s for s in self.suggestions(source_id) if s.span == span]
        with self._project.action(self._titled("Reject label", source_id, span)) as act:
            for suggestion in refused:
                self._decide(act, suggestion, "rejected")
        return tuple(refused)

    def import_reviews(self, reviews: Sequence[LabelledReview], filename: str) -> tuple[SourceText, ...]:
        """Imports annotated reviews, texts and labels, in one step; returns the texts as stored in the project.

        A text that already exists word for word gets the labels and isn't added again. Of several labels in a
        single-label layer the rarest is kept, as in the training of heads. A text's fields contain its paper.
        """
        store = ReviewStore(self._project)
        there = {text.text: text for text in store.texts()}
        counts = Counter(
            label for one in reviews for said in one.sentences for labels in said.layers.values() for label in labels
        )
        made: list[SourceText] = []
        with self._project.action(f"Import labelled reviews from {filename}") as act:
            for review in reviews:
                text = there.get(review.text.text)
                if text is None:
                    fields = (*review.text.fields, (PAPER_FIELD, review.paper), (REVIEW_FIELD, review.text.id))
                    bundle = ReviewBundle((replace(review.text, fields=fields),), review.comments)
                    text = store.import_bundle(bundle, filename).texts[0]
                    there[text.text] = text
                made.append(text)
                said: list[tuple[Span, LayerLabel]] = []
                for sentence in review.sentences:
                    for layer, labels in sentence.layers.items():
                        single = len(labels) > 1 and not layer_info(layer).several
                        one = (min(labels, key=lambda label: counts[label]),) if single else labels
                        chosen = self._checked(text.id, sentence.span, layer, one, text.text)
                        said.append((sentence.span, LayerLabel(layer, chosen, origin=f"import:{filename}")))
                self._write(act, text.id, said)
        return tuple(made)

    # results --------------------------------------------------------------------------------------------------------

    def save_suggestions(self, source_id: str, suggestions: Iterable[Suggestion]) -> int:
        """Stores the suggestions of a run for a text, replacing those of the previous run; returns how many were
        stored. Labels that aren't ``LayerLabel.sure`` are dropped, each label on its own."""
        kept: list[Row] = []
        for suggestion in suggestions:
            label, span = suggestion.label, suggestion.span
            sure = label.sure()
            if sure:
                place = {"source_id": source_id, "start_offset": span.start, "end_offset": span.end}
                offer = {"labels": list(sure), "confidence": list(sure.values()), "origin": label.origin}
                kept.append(place | {"layer": label.layer} | offer)
        with self._project.results("Suggest labels") as write:
            write.delete("sentence_suggestion", source_id=source_id)
            write.insert_all("sentence_suggestion", kept)
            write.touched("sentence_suggestion", [source_id])
        return len(kept)

    # heads of the project -------------------------------------------------------------------------------------------

    def save_heads(self, title: str, card: Mapping[str, Any], weights: bytes) -> OwnHeads:
        """Stores heads trained on the project's labels. They aren't used until a person chooses them."""
        with self._project.results("Train heads") as write:
            values = {"title": title, "card": dict(card), "weights": weights, "used": False}
            key = write.insert("trained_heads", values)
            write.touched("trained_heads", [key])
        return OwnHeads(key, title, card, False, len(weights))

    def own_heads(self) -> tuple[OwnHeads, ...]:
        """Returns heads trained on the project's labels, newest first."""
        rows = self._project.query(
            "SELECT id, title, card, used, length(weights) AS size FROM trained_heads ORDER BY created_at DESC, id DESC"
        )
        return tuple(records(OwnHeads, rows))

    def heads_weights(self, heads_id: str) -> bytes:
        """Returns the weights of own heads. Raises KeyError."""
        row = self._project.query_one("SELECT weights FROM trained_heads WHERE id = ?", (heads_id,))
        if row is None:
            raise KeyError(heads_id)
        return bytes(row["weights"])

    def remove_heads(self, heads_id: str) -> Callable[[], None]:
        """Removes own heads; their suggestions stay. Returns a function that restores them. Raises KeyError."""
        row = self._project.query_one("SELECT * FROM trained_heads WHERE id = ?", (heads_id,))
        if row is None:
            raise KeyError(heads_id)
        with self._project.results("Remove heads") as write:
            write.delete("trained_heads", id=heads_id)
            write.touched("trained_heads", [heads_id])

        def restore() -> None:
            with self._project.results("Restore heads") as write:
                write.insert("trained_heads", dict(row))
                write.touched("trained_heads", [heads_id])

        return restore

    def use_heads(self, heads_id: str | None) -> None:
        """Chooses the own heads that label all their layers; None: only the bundled ones are used."""
        with self._project.results("Choose heads") as write:
            for heads in self.own_heads():
                card = {key: value for key, value in heads.card.items() if key != "answers"}
                write.update("trained_heads", heads.id, {"used": heads.id == heads_id, "card": card})
            write.touched("trained_heads", [heads_id or ""])

    def use_heads_for(self, heads_id: str, layers: Sequence[Layer]) -> None:
        """Uses own heads for these layers, and other heads for the rest as before; without layers they are no longer
        used. Raises BadInput if they were removed."""
        card = next((heads.card for heads in self.own_heads() if heads.id == heads_id), None)
        if card is None:
            raise not_changed("These heads were removed from the project.", "Train heads again.")
        with self._project.results("Choose heads") as write:
            write.update("trained_heads", heads_id, {"used": bool(layers), "card": {**card, "answers": list(layers)}})
            write.touched("trained_heads", [heads_id])

    # helpers --------------------------------------------------------------------------------------------------------

    def _decided(self, source_id: str) -> dict[Place, dict[Layer, LayerLabel]]:
        rows = self._project.query(
            "SELECT start_offset, end_offset, layer, labels, origin FROM sentence_label"
            " WHERE source_id = ? AND (annotator_id = ? OR imported)"
            " ORDER BY imported DESC, start_offset, end_offset, id",
            (source_id, self._project.annotator_id),
        )
        found = _by_place(rows)  # own ones come last and override those of files
        return {
            place: {layer: replace(label, confidence=(1.0,) * len(label.labels)) for layer, label in labels.items()}
            for place, labels in found.items()
        }

    def _offered(self, source_id: str) -> dict[Place, dict[Layer, LayerLabel]]:
        return _by_place(self._project.query("SELECT * FROM sentence_suggestion WHERE source_id = ?", (source_id,)))

    def _accept(self, offered: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
        words = "Accept label" if len(offered) == 1 else f"Accept {len(offered)} labels"
        # The suggestions belong to one sentence, or to a whole text.
        spans = {one.span for one in offered}
        title = self._titled(words, offered[0].source_id, *spans) if offered else words
        with self._project.action(title) as act:
            for suggestion in offered:
                self._decide(act, suggestion, "accepted")
            for source_id in {suggestion.source_id for suggestion in offered}:
                taken = [(s.span, s.label) for s in offered if s.source_id == source_id]
                self._write(act, source_id, taken, on_screen=True)
        return tuple(offered)

    def _titled(self, title: str, source_id: str, *spans: Span) -> str:
        """Returns the title of an action on a sentence of a text, or on the text."""
        text = ReviewStore(self._project).text(source_id)
        one = spans[0] if len(spans) == 1 else None
        return f"{title}: {quoted(text.text[one.start : one.end] if one else text.title)}"

    def _settle(self, act: Action, source_id: str, span: Span, layer: Layer, chosen: tuple[str, ...]) -> None:
        """Stores whether an open suggestion was right, when the person sets a label."""
        offered = self._offered(source_id).get((span.start, span.end), {}).get(layer)
        if offered is not None:
            right = set(offered.labels) == set(chosen)
            self._decide(act, Suggestion(source_id, span, offered), "accepted" if right else "rejected")

    def _decide(self, act: Action, suggestion: Suggestion, decision: str) -> None:
        label = suggestion.label
        offer = {"labels": label.labels, "confidence": min(label.confidence, default=0.0), "origin": label.origin}
        own = self._own(suggestion.source_id, suggestion.span, label.layer)
        act.keep("sentence_label_decision", own, offer | {"decision": decision})

    def _own(self, source_id: str, span: Span, layer: Layer) -> Row:
        """Returns the columns that identify the acting annotator's label in a layer of a sentence."""
        place = {"source_id": source_id, "start_offset": span.start, "end_offset": span.end}
        return place | {"layer": layer, "annotator_id": self._project.annotator_id}

    def _write(
        self, act: Action, source_id: str, said: Iterable[tuple[Span, LayerLabel]], on_screen: bool | None = None
    ) -> None:
        rows = self._project.query(
            "SELECT start_offset, end_offset, layer, imported, id, suggested FROM sentence_label"
            " WHERE source_id = ? AND annotator_id = ?",
            (source_id, self._project.annotator_id),
        )
        known = {tuple(row)[:4]: row["id"] for row in rows}
        before = {tuple(row)[:4]: row["suggested"] for row in rows}
        fresh: dict[tuple[object, ...], Row] = {}
        for span, label in said:
            imported = label.origin.startswith("import:")
            sure = min(label.confidence) if label.confidence else None
            values = {"labels": label.labels, "origin": label.origin, "confidence": sure}
            place = span.start, span.end, label.layer, int(imported)
            shown = before.get(place)  # once seen, always counted as seen
            values["suggested"] = shown if on_screen is None else int(bool(shown) or on_screen)
            if place in known:
                act.update("sentence_label", known[place], values)
            else:
                fresh[place] = self._own(source_id, span, label.layer) | {"imported": imported} | values
        act.insert_all("sentence_label", fresh.values())

    def _checked(
        self, source_id: str, span: Span, layer: Layer, labels: Sequence[str], text: str | None = None
    ) -> tuple[str, ...]:
        info = layer_info(layer)
        known = [option.id for option in info.labels]
        unknown = [label for label in labels if label not in known]
        if unknown or (len(labels) > 1 and not info.several):
            raise not_changed(
                f"{info.title} has no label “{unknown[0]}”." if unknown else f"{info.title} takes one label.",
                f"Choose one of {', '.join(known)}.",
            )
        content = ReviewStore(self._project).text(source_id).text if text is None else text
        if not 0 <= span.start < span.end <= len(content):
            raise not_changed(
                f"The sentence {span.start} to {span.end} is not inside its text of {len(content)} characters."
            )
        return tuple(label for label in known if label in labels)


def sentence_labels(source_id: str, span: Span, labels: Mapping[Layer, LayerLabel]) -> SentenceLabels:
    """Combines the layers of one sentence into one record."""
    confidence: dict[str, float] = {}
    for name, label in labels.items():
        if label.confidence:
            confidence[name] = min(label.confidence)
        if name == "theme":
            confidence.update({f"theme:{key}": sure for key, sure in _pairs(label)})
    actionable = _first(labels, "actionable")
    return SentenceLabels(
        source_id,
        span,
        polarity=_first(labels, "polarity"),
        aspect=_first(labels, "aspect"),
        themes=labels["theme"].labels if "theme" in labels else (),
        review_action=_first(labels, "review_action"),
        actionable=None if actionable is None else actionable == "yes",
        action=cast("ActionClass | None", _first(labels, "action")),
        confidence=confidence,
        origins={name: label.origin for name, label in labels.items()},
    )


def _sentences(source_id: str, places: Mapping[Place, Mapping[Layer, LayerLabel]]) -> tuple[SentenceLabels, ...]:
    return tuple(sentence_labels(source_id, Span(*place), places[place]) for place in sorted(places))


def _first(labels: Mapping[Layer, LayerLabel], layer: Layer) -> str | None:
    return labels[layer].labels[0] if layer in labels and labels[layer].labels else None


def _pairs(label: LayerLabel) -> Iterable[tuple[str, float]]:
    return zip(label.labels, label.confidence, strict=True)


def _same(place: Row) -> str:
    return " AND ".join(f"{name} = :{name}" for name in place)


def _by_place(rows: Sequence[sqlite3.Row]) -> dict[Place, dict[Layer, LayerLabel]]:
    found: dict[Place, dict[Layer, LayerLabel]] = defaultdict(dict)
    for row, label in zip(rows, records(LayerLabel, rows), strict=True):
        found[row["start_offset"], row["end_offset"]][label.layer] = label
    return dict(found)
