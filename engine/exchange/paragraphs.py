"""Words gathered to blocks while a letter's markup is read: what LaTeX and HTML have in common."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engine.exchange.markdown_tokens import Block, BlockKind, Run


@dataclass(frozen=True, slots=True)
class Look:
    """How letters look at a place, and what they are part of."""

    styles: frozenset[str] = frozenset()
    """Of "bold", "italic", "code"."""
    link: str = ""
    quoted: bool = False
    lists: tuple[BlockKind, ...] = ()
    marks: frozenset[str] = frozenset()
    within: tuple[tuple[str, int], ...] = ()
    switch: str = ""
    """The mark of a command that goes on until another one."""
    column: int = 0
    hidden: bool = False

    def styled(self, style: str) -> Look:
        """The look with a style, or a mark where it is none that Markdown has."""
        if style in ("bold", "italic", "code"):
            return replace(self, styles=self.styles | {style})
        return replace(self, marks=self.marks | {style})

    def instead(self, kind: str, mark: str) -> Look:
        """The look with ``mark``, none for "", instead of others of its kind ("colour", "column")."""
        others = frozenset(one for one in self.marks if not one.startswith(f"{kind} "))
        return replace(self, marks=others | {mark} if mark else others)


@dataclass(slots=True)
class Paragraphs:
    """The blocks that were read, the one that is being read, and the look of what comes next."""

    blocks: list[Block] = field(default_factory=list)
    look: Look = Look()
    item: tuple[BlockKind, int] | None = None
    """The kind and number of the list item that begins."""
    counts: list[int] = field(default_factory=list)
    """Of the lists that are open."""
    heading: int = 0
    opens: bool = False
    """A quotation that does not go on with the one before it begins."""
    _runs: list[Run] = field(default_factory=list)
    _entered: int = 0

    @property
    def said(self) -> str:
        return self._runs[-1].text if self._runs else ""

    def say(self, words: str, *, formula: bool = False) -> None:
        look = self.look
        if words[:1] == " " and self.said[-1:].isspace():
            words = words.lstrip(" ")
        if words and not look.hidden:
            marks = look.marks | {look.switch} if look.switch else look.marks
            bold, italic, code = (style in look.styles for style in ("bold", "italic", "code"))
            self._runs.append(Run(words, bold, italic, code, look.link, formula, marks))

    def finish(self) -> None:
        runs, self._runs = tuple(self._runs), []
        if not any(run.text.strip() for run in runs):
            return
        within = self.look.within
        if self.heading:
            plain = tuple(replace(run, bold=False) for run in runs)
            self.blocks.append(Block("heading", plain, self.heading, within=within))
        elif self.item is not None:
            (kind, number), self.item = self.item, None
            self.blocks.append(Block(kind, runs, max(1, len(self.look.lists)), number, within=within))
        elif self.look.quoted:
            self.blocks.append(Block("quote", runs, opens=self.opens, within=within))
            self.opens = False
        else:
            self.blocks.append(Block("paragraph", runs, within=within))

    def rule(self) -> None:
        """Ends the current paragraph, and draws a line."""
        self.finish()
        self.blocks.append(Block("rule", ()))

    def enter(self, name: str) -> None:
        """What comes next is in something with a name: an environment, a style, a quotation."""
        self._entered += 1
        self.look = replace(self.look, within=(*self.look.within, (name, self._entered)))

    def quote(self, *, opens: bool) -> None:
        """What comes next is quoted."""
        self.opens = opens
        self.enter("quoted")
        self.look = replace(self.look, quoted=True, switch="")

    def switch(self, name: str) -> None:
        """What comes next, up to another switch, has a mark, of which all paragraphs are one use."""
        self._entered += 1
        self.look = replace(self.look, switch=f"{name}\0{self._entered}")

    def column(self, number: int) -> None:
        """What comes next is in that column of a table."""
        self.look = replace(self.look.instead("column", f"column {number}"), column=number)
