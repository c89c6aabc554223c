"""Who made a label, a link or a decision, in words. No Qt."""

from engine.reviews.labels.heads import SHIPPED
from engine.reviews.labels.records import PERSON


def origin_words(origin: str) -> str:
    """Returns who or what made a decision or suggestion, from its stored name."""
    kind, _, rest = origin.removesuffix("+fine-tuned").partition(":")
    name, _, _version = rest.partition("@")
    tuned = " and a fine-tuned encoder" if origin.endswith("+fine-tuned") else ""
    if origin == PERSON:
        return "decided by you"
    if kind == "import":
        return f"from {rest}"
    if kind == "rules":
        return f"wording rules{tuned}"
    if name.startswith("fine-tuned"):
        return "a fine-tuned encoder"
    known = {"own-labels": "heads trained on your labels", SHIPPED: "the bundled heads"}
    return known.get(name, f"the heads {name}") + tuned
