"""Reads and writes UIMA CAS as JSON (0.4.0) and XMI, formats of INCEpTION, with dkpro-cassis.

Layers are types ``webanno.custom.<Layer>``; each span of a mark is an annotation with the mark's id as ``identifier``.
Lines and words are written as DKPro's sentences and tokens.
"""

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from engine.errors import BadInput, EnvironmentProblem, not_imported
from engine.exchange import limits
from engine.exchange.marked_texts import FEATURES, ID, Mark, MarkedDocument, MarkedTexts, checked, gathered, segmented
from engine.exchange.records import ExportFile
from engine.installing import command_for
from engine.shown import left_out

Form = Literal["json", "xmi"]
TYPES = "TypeSystem.xml"
_PREFIX = "webanno.custom."
_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _cassis() -> Any:
    try:
        import cassis
    except ImportError as error:
        raise EnvironmentProblem(
            "Reading and writing UIMA CAS needs dkpro-cassis, which is not installed.", "Nothing was done.",
            f"Run: {command_for('dkpro-cassis')}. WebAnno TSV works without it.",
        ) from error  # fmt: skip
    return cassis


def write_cas(documents: Sequence[MarkedDocument], form: Form) -> tuple[ExportFile, ...]:
    """Returns one file per document and, for XMI, the type system."""
    cassis, files = _cassis(), []
    types = _type_system(cassis, documents)
    for document in documents:
        text = document.text if form == "json" else _NO_XML.sub("\ufffd", document.text)
        cas = cassis.Cas(typesystem=types)
        cas.sofa_string, cas.sofa_mime = text, "text/plain"
        for sentence, tokens in segmented(text):
            cas.add(types.get_type(f"{_DKPRO}Sentence")(begin=sentence.start, end=sentence.end))
            for token in tokens:
                cas.add(types.get_type(f"{_DKPRO}Token")(begin=token.start, end=token.end))
        for mark in document.marks:
            values = {ID: mark.id} | {f"f_{name}" if name in _TAKEN else name: value for name, value in mark.features}
            plain = {name: value if form == "json" else _NO_XML.sub("\ufffd", value) for name, value in values.items()}
            for span in mark.spans:
                cas.add(types.get_type(_PREFIX + mark.layer)(begin=span.start, end=span.end, **plain))
        made = cas.to_json() if form == "json" else cas.to_xmi()
        files.append(ExportFile(f"{document.name}.{form}", made.encode("utf-8", "replace")))
    if form == "xmi":
        files.append(ExportFile(TYPES, types.to_xml().encode()))
    return tuple(files)


_TAKEN = {"begin", "end", "sofa", "type", "self"}
"""Feature names that CAS reserves."""


def _type_system(cassis: Any, documents: Sequence[MarkedDocument]) -> Any:
    types = cassis.TypeSystem()
    for name in ("Sentence", "Token"):
        types.create_type(f"{_DKPRO}{name}", supertypeName="uima.tcas.Annotation")
    layers = {layer: [ID, *names] for layer, names in FEATURES.items()}
    for mark in (mark for document in documents for mark in document.marks):
        names = layers.setdefault(mark.layer, [ID])
        names += [name for name, _ in mark.features if name not in names]
    for layer, names in layers.items():
        type_ = types.create_type(_PREFIX + layer, supertypeName="uima.tcas.Annotation")
        for name in names:
            own = f"f_{name}" if name in _TAKEN else name
            types.create_feature(domainType=type_, name=own, rangeType="uima.cas.String")
    return types


def read_cas(name: str, content: bytes, form: Form, types: bytes | None = None) -> MarkedTexts:
    """Reads a document; for XMI, ``types`` is the type system. Only text, number and boolean features are kept.
    Annotations that aren't spans are left out and counted in a warning; DKPro's own types are ignored.

    Raises BadInput if it can't be read or has a DOCTYPE or entities, and EnvironmentProblem if dkpro-cassis is
    missing.
    """
    cassis = _cassis()
    for part in (content, types or b""):
        limits.check_size(len(part), limits.FILE_BYTES, name)
        if form == "xmi" and re.search(rb"<!\s*(DOCTYPE|ENTITY)", part.replace(b"\0", b""), re.IGNORECASE):
            raise BadInput(f"{name} has its own document type.", "It was not read.", "Export it again.")
    try:
        if form == "json":
            cas = cassis.load_cas_from_json(io.BytesIO(content))
        else:
            known = cassis.load_typesystem(io.BytesIO(types)) if types is not None else None
            cas = cassis.load_cas_from_xmi(io.BytesIO(content), typesystem=known, lenient=True)
        text = cas.sofa_string or ""
        marks = gathered(_marks(cas, text, name))
        own = sum(_kind(annotation) == "other" for annotation in cas.select_all_annotations())
    except BadInput:
        raise
    # cassis doesn't validate its input, so a faulty file can raise any exception.
    except Exception as error:
        raise not_imported(
            f"{name} can't be read as UIMA CAS {form.upper()}: {type(error).__name__}.",
            "Export it again" + (", with its TypeSystem.xml." if form == "xmi" and types is None else "."),
        ) from error
    warnings = left_out(own, "annotation in another layer", "annotations in other layers", f"{name}: ")
    return MarkedTexts((MarkedDocument(name, text, marks),), warnings)


def _kind(annotation: Any) -> Literal["mark", "frame", "other"]:
    """Returns whether an annotation is a mark, document structure (words, sentences, metadata) or other."""
    name = annotation.type.name
    if name.startswith((_DKPRO, "uima.", "de.tudarmstadt.ukp.dkpro.core.api.metadata")):
        return "frame"
    features = {feature.name for feature in annotation.type.all_features}
    relation = {"Governor", "Dependent", "governor", "dependent"} & features
    return "mark" if {"begin", "end"} <= features and not relation and annotation.begin < annotation.end else "other"


def _marks(cas: Any, text: str, name: str) -> Iterator[Mark]:
    for annotation in cas.select_all_annotations():
        type_ = annotation.type
        if _kind(annotation) != "mark":
            continue
        layer = type_.name.rsplit(".", 1)[-1]
        values = {}
        for feature in type_.all_features:
            value = getattr(annotation, feature.name, None)
            if feature.name not in {"begin", "end", "sofa"} and isinstance(value, str | int | float | bool):
                values[feature.name.removeprefix("f_")] = str(value)
        key = values.pop(ID, "")
        names = [one for one in FEATURES.get(layer, ()) if one in values]
        names += [one for one in values if one not in names]
        span = checked(text, annotation.begin, annotation.end, name)
        yield Mark(key, layer, (span,), tuple((one, values[one]) for one in names if values[one]))
