"""Wording cues for who is speaking and why, in reviews and replies to them.

Simple lexical rules: which side of a response letter a paragraph belongs to, and whether a reviewer's sentence asks for
something. They count patterns and use no model. tests/benchmarks measures their quality.
"""

import re
from functools import lru_cache
from typing import Literal

SentenceRole = Literal["request", "criticism", "question", "praise", "summary", "verdict", "connective", "other"]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


_DID = (  # what only an author says in the singular
    r"(?: have|['’]ve)?(?: now| also| therefore| since| further)*"
    r" (?:added|revised|clarified|corrected|fixed|changed|updated|removed|included|rewr[io]t\w*|expanded|extended|"
    r"modified|moved|reworded|rephrased|addressed|reworked|incorporated|replaced|shortened|cited|put|re-?organi[sz]ed|"
    r"simplified|inserted|deleted|dropped|labell?ed)\b"
)
_MINE = r" (?:(?:revised|new|updated) )?(?:manuscript|paper|response|reply|revision|work|analysis|study|data|results)\b"
_AUTHOR = _any(
    rf"\bI{_DID}",
    rf"\bmy{_MINE}",
    r"\bwe (?:sincerely |would like to |wish to |very much |greatly |also )*(?:thank|appreciate|"
    r"acknowledge|agree|apologi[sz]e|regret)\b",
    r"\bthank(?:s| you)\b(?! the (?:editor|authors))",
    r"\b(?:gracias|hemos|merci|nous (?:avons|remercions)|danke|wir haben|obrigad[oa]s?|grazie|abbiamo)\b",
    r"\bwe (?:have |had |did |also |then |now |therefore |thus |fully |completely |indeed |can |will )*(?:now )?"
    r"(?:added|add|revised|clarified|clarify|corrected|fixed|changed|updated|removed|included|"
    r"rewr[io]t\w*|expanded|extended|modified|"
    r"moved|reworded|rephrased|addressed|reworked|performed|incorporated|introduced|conducted|reported|"
    r"discussed?|describe|"
    r"respectfully|believe|felt|feel|hope|note|decided|chose|selected|followed|replaced|shortened|cited)\b",
    r"\bin (?:the|our|this) (?:revised|updated|new|revision|current version|camera[- ]ready)\b",
    r"\b(?:the|this|each) (?:reviewer|referee)(?:s|'s|’s|s'|s’)?\b",
    r"\bour (?:revised|new|updated|response|reply|manuscript|paper|work|analysis|study|method|model|"
    r"approach|data|results)\b",
    r"\b(?:(?:has|have) (?:now )?been|(?:was|were|is|are)(?: now)?) "
    r"(?:added|corrected|fixed|revised|changed|clarified|removed|updated|included|rewritten|moved)\b",
    r"\b(?:as|per) (?:suggested|requested|recommended|advised)\b",
    r"\b(?:please see|see our|see also (?:our|the revised))\b",
    r"^\W*(?:done|fixed|corrected|agreed|added|good (?:point|catch)|great (?:point|catch|suggestion)|"
    r"excellent point|point taken|indeed|removed)\b",
    r"\b(?:page|line|section|lines|pages)s? \d+(?:[-–]\d+)? (?:of|in) the (?:revised|new)",
    r"\bwe(?:'ve|’ve|'re|’re| are| were| have| had| do| did| now)?\b",
    r"\bour\b",
)
_REVIEWER = _any(
    rf"\bthe authors?(?:'|’)?s?\b(?!{_DID})",
    r"\b(?:this|the|your) (?:paper|manuscript|submission|article|work|study) (?:is|presents|proposes|"
    r"describes|does|lacks|would|needs|could|should|claims|has|contains)\b",
    rf"\bI(?!{_DID}) (?:would|think|am|was|do|did|have|suggest|recommend|find|found|feel|believe|wonder|don't|don’t|"
    r"cannot|can't|strongly|appreciate|enjoyed|could)\b",
    r"\b(?:could|can|would|did|do|have) (?:you|the authors?)\b",
    r"\b(?:it )?(?:would|might|could) (?:also )?be (?:good|nice|great|helpful|useful|interesting|better|"
    r"beneficial|valuable|worth)\b",
    r"\bplease (?:add|clarify|explain|provide|discuss|include|consider|check|elaborate|define|describe|"
    r"justify|comment|correct|report|specify|state|use|cite|give|make|define|remove|avoid|revise)\b",
    r"\b(?:should|must|need(?:s)? to|ought to)\b",
    r"\b(?:unclear|not clear|confusing|confused|missing|lacks?|lacking|insufficient|questionable|typos?|"
    r"hard to (?:read|follow|understand)|difficult to (?:read|follow|understand))\b",
    r"\byou(?:r)?\b",
    rf"\b(?:my(?!{_MINE})|me)\b",
    rf"\bI\b(?!{_DID})",
    r"\?",
)


def voice(text: str, *, alone: bool = False) -> float:
    """Returns a score towards 1 for authors answering, towards -1 for a reviewer, 0 if undecided. ``alone``: there is
    one author, who says "I"."""
    if alone:
        text = _ONE.sub("", _ONE_DID.sub("we", text))
    author = len(_AUTHOR.findall(text))
    reviewer = len(_REVIEWER.findall(text))
    # The first words of a reply are the most informative ones ("We thank the reviewer ...").
    if re.match(
        r"[\s*_\"“>]*(?:(?:we|our)\b|thank|agreed|done\b|fixed|as suggested|in response|following the|"
        r"the reviewer|this is an? "
        r"(?:good|great|excellent|important|valid|fair|interesting) (?:point|question|suggestion|idea|"
        r"observation|comment))",
        text,
        re.IGNORECASE,
    ):
        author += 2
    return (author - reviewer) / (author + reviewer + 1)


_ONE_DID = re.compile(r"\bI(?= have now|['’]ve| have \w+(?:ed|en|t)\b)")
_ONE = re.compile(r"\b(?:I(?:['’]\w+)?|my|me)\b")

_REQUEST = _any(
    r"\bplease\b",
    r"\b(?:should|must|ought to|needs? to (?:be|have|clarify|explain|show|provide|address|discuss|add)|"
    r"has to|have to be|(?:is|are) (?:needed|necessary|required|warranted))\b",
    r"\b(?:authors?|you|paper|manuscript|text|abstract|section|figure|table|caption|notation|claim|statement|proof)s?"
    r"(?: (?:\w+ly|also|still|first|either|both))* needs? to\b",
    r"\bencourages? (?:the authors?|you)\b|\b(?:interested|curious) (?:to (?:see|know|hear|learn)|about)\b",
    r"\b(?:(?:it )?(?:would|might|could|may)|(?:it|I)['’]d) (?:also |perhaps |therefore |really |"
    r"help to )*(?:be|make|benefit|help|improve|like|strengthen|have "
    r"(?:liked|loved|benefited|been)|want|prefer|appreciate|love|suggest|recommend|encourage|ask|urge|need|"
    r"welcome|expect)\b",
    r"\bI (?:strongly |would |also |highly )*(?:suggest|recommend|encourage|advise|urge|request|ask|"
    r"wonder|am wondering|was wondering|propose)\b",
    r"\b(?:could|can|would) (?:you|the authors?|they|this|these|it|one)\b",
    r"\b(?:consider|clarify|elaborate|explain|provide|add|include|define|justify|discuss|compare|cite|"
    r"correct|specify) (?:the|a|an|on|how|why|what|whether|this|more|some|in|citing|adding|using|including|if)\b",
    r"\b(?:suggest(?:ion)?s?|recommend(?:ation)?s?) (?:to|that|for|adding|is)\b",
    r"(?:->|→|=>)|\b(?:typo|replace|change) .{1,60}\b(?:to|with|by|by)\b",
    r"\bmore (?:details?|information|explanation|discussion|analys[ie]s|experiments?|justification|"
    r"context|evidence)\b",
)
_CRITICISM = _any(
    r"\b(?:unclear|not (?:\w+ )?clear|unconvincing|not (?:\w+ )?convinc\w+|confus\w+|mislead\w+|ambiguous|"
    r"vague|circular|problem(?:s|atic)?|"
    r"questionable|unbalanced|insufficient\w*|inadequate\w*|inaccurate|incorrect\w*|wrong|inconsistent\w*|incomplete|"
    r"imprecise|unjustified|unsupported|overstat\w+|overclaim\w*|redundant|limited|weak(?:ness|nesses)?|limitations?|"
    r"concern(?:s|ed|ing)?|issues?|flaw(?:s|ed)?|"
    r"errors?|mistakes?|typos?|missing|omit\w*|omission|lack(?:s|ing|ed)?|fail(?:s|ed)? to|neglect\w*|"
    r"ignor(?:es|ed|ing)|difficult|hard) ?\b",
    r"\b(?:does|do|did|is|are|was|were|has|have|can|could)(?: not|n't|n’t) (?:\w+ ){0,3}(?:show|explain|"
    r"justif|provid|support|discuss|"
    r"address|compar|convinc|defin|mention|report|consider|cite|quantif|describ|seem|make sense|"
    r"appropriate|sufficient|enough|"
    r"follow|understand|parse|see|find|evaluat|test|necessarily|obvious|include|account|analy[sz])",
    r"\b(?:there (?:is|are|'s) )(?:no|little|few|too|only|insufficient|not)\b",
    r"\b(?:no|little|not enough|without) (?:\w+ )?(?:explanation|justification|discussion|evidence|"
    r"comparison|analysis|mention|detail|statistical)\b",
    r"\btoo (?:long|short|many|few|much|small|strong|general|brief|dense|technical)\b",
    r"\b(?:I (?:do not|don't|don’t|did not|cannot|can't|could not|was not|am not|fail to|disagree|doubt))\b",
    r"\b(?:it is (?:not|hard|difficult|unknown)|not known|unknown (?:how|whether|if|why)|"
    r"never (?:really )?(?:defined|explained|mentioned))\b",
    r"\bhowever\b.*\b(?:not|only|but|un\w+)\b",
    r"\b(?:bias(?:ed|es)?|cherry[- ]pick\w*|ad hoc|arbitrary)\b",
)
_QUESTION = re.compile(
    r"\?\W*$|^\W*(?:why|how|what|which|when|where|who|is|are|was|were|do|does|did|can|could|would|should|"
    r"have|has|any)\b[^.]*\?",
    re.IGNORECASE,
)
_INDIRECT_QUESTION = _any(
    r"^\W*(?:do|does|did|were|was|are|is|have|has|can|could|would|why|how|what) (?:the|they|these|this|it|"
    r"you|authors?)\b.*",
    r"\b(?:I wonder|wondering|curious|not sure) (?:if|whether|how|why|what)\b(?! I\b)",
)
_PRAISE = _any(
    r"\b(?:well[- ](?:written|organi[sz]ed|executed|motivated|designed|presented|structured|done|chosen|"
    r"conducted|documented)|"
    r"clearly (?:written|presented|important|explained|described)|easy to (?:read|follow)|nicely|"
    r"excellent|impressive|elegant|"
    r"compelling|thorough|timely|novel|innovative|interesting|important|valuable|exciting|enjoy(?:ed|"
    r"able)?|pleasure|glad|"
    r"commend\w*|congratulat\w*|appreciate\w*|applaud\w*|solid|strong|strengths?|positives?|merits?|"
    r"great|good (?:job|work|paper|idea)|reasonable|convincing|"
    r"useful|of (?:broad|great|high|considerable) (?:interest|value|importance)|nice|(?:fully|"
    r"satisfactorily|adequately) addressed)\b"
)
_VERDICT = _any(
    r"\b(?:recommend|suitable|ready|suited|appropriate|sufficient|acceptable|fit|"
    r"support) (?:\w+ ){0,3}(?:for )?(?:the )?"
    r"(?:acceptance|publication|accept(?:ing)?|reject(?:ion|ing)?|publishing)\b",
    r"\b(?:accept(?:ed|able)?|reject(?:ed)?) (?:this|the|for|as|in|after|it)\b|\bmy (?:rating|score|"
    r"recommendation|evaluation)\b",
    r"\b(?:out of|outside(?: of)?|beyond|within) the scope\b|\bout of scope\b",
    r"\b(?:raise|increase|keep|lower)(?:d|ing)? (?:my|the) (?:score|rating)\b(?!.*\bif\b)",
)
_SUMMARY = _any(
    r"^\W*(?:summary|overview|synopsis)\b",
    r"^\W*(?:(?:overall|in (?:this|the)|in summary|here|the present|briefly|"
    r"to summarize)\W+(?:\w+ ){0,2})?(?:the |this |present |current |their |"
    r"above |submitted |reviewed )*(?:paper|manuscript|article|authors?|study|work|submission|research|"
    r"review|preprint|report)"
    r"(?: by [^,.]{3,60}?)?,? (?:aims?|addresses|analy[sz]es?|applies|apply|argues?|builds?|compares?|"
    r"combines?|considers?|creates?|"
    r"created|concerns?|conducts?|contributes?|deals?|demonstrates?|describes?|develops?|developed|"
    r"discusses|discuss|evaluates?|examines?|explores?|extends?|"
    r"focus(?:es)?|have (?:developed|created|proposed|presented|performed|built)|introduces?|"
    r"investigates?|is (?:about|an? (?:study|analysis|review|description))|"
    r"is focus\w+|looks? (?:at|into)|offers?|outlines?|performed|present(?:s|ed)?|proposes?|proposed|"
    r"provides?|reports?|review(?:s|ed)?|"
    r"show(?:s|ed)? (?:that|how)|stud(?:y|ies|ied)|summari[sz]es?|takes?|tackles?|tests?|tries|try|use(?:s|d)?)\b",
    r"^\W*(?:in this (?:paper|manuscript|work|study|article)|this is an? (?:\w+ ){0,3}(?:analysis|study|"
    r"paper|manuscript|review|work|article))\b",
    r"^\W*(?:the (?:main )?(?:contribution|goal|aim|idea|purpose|objective|topic)s? (?:of|is|are)|"
    r"at the technical level|most of the (?:technical )?content)\b",
    r"^\W*(?:it|they) (?:also |then |further )?(?:analy[sz]es|describes|establishes|introduces|presents|"
    r"proposes|studies|shows|evaluates|examines|compares|reports)\b",
)
_CONNECTIVE = _any(
    r"^\W*(?:(?:some|a few|my|the|other|several|additional|further|more|specific|detailed|general|major|"
    r"minor|main|here are|below are|i have)\W+)*"
    r"(?:specific |detailed |general |major |minor |main |other |additional |further |following |"
    r"technical |few |more |particular |individual )*"
    r"(?:comments?|questions?|points?|concerns?|issues?|remarks?|suggestions?|weakness(?:es)?|strengths?|"
    r"positives?|negatives?|"
    r"pros|cons|typos|details|notes?|observations?|requests?|corrections?|summary|evaluation|review|"
    r"assessment|significance|novelty|clarity|originality|quality|recommendation)"
    r"(?: (?:on|about|regarding|for|to) (?:the|this|your) [\w ]{3,40}| (?:are|is)|"
    r" (?:(?:are|is) )?(?:follow|as follows|the following|listed|given|below|here)[\w ,]{0,40}|"
    r" \(?(?!(?:are|was|were|\w+s) )[\w ]{0,20}\)?)?\W*$",
    r"^[^.?!]{0,160}\b(?:as follows|the following|below|(?:points?|comments?|issues?|questions?|"
    r"concerns?)(?: [^.?!]{0,100})?)\s*:\W*$",
    r"^\W*(?:dear|sincerely|best regards|kind regards|hello|hi)\b",
    r"^\W*please find (?:below|attached|enclosed|(?:the|my) (?:comments|reviews?|reports?))\b",
    r"^\W*(?:remarks|comments) (?:to|for) (?:the )?(?:authors?|editor)\W*(?:\(.{0,60}\))?\W*$",
)


_PLEASE = re.compile(r"\bplease\b(?! (?:accept|reject))", re.IGNORECASE)
"""A request also beside a verdict: "I keep my score, but please report the depth"."""
_LONGEST = 2_000


@lru_cache(maxsize=20_000)
def sentence_role(sentence: str) -> SentenceRole:
    """Returns the function of a reviewer's sentence, by its wording alone."""
    text = " ".join(sentence.split())
    if len(text) > _LONGEST:  # searching all of it with every pattern would be slow
        text = f"{text[: _LONGEST - 500]} {text[-500:]}"
    if _CONNECTIVE.search(text):
        return "connective"
    if _QUESTION.search(text) or _INDIRECT_QUESTION.search(text):
        return "question"
    if _VERDICT.search(text) and not _PLEASE.search(text):
        return "verdict"
    asks, criticism, summary = (bool(cue.search(text)) for cue in (_REQUEST, _CRITICISM, _SUMMARY))
    if summary and not criticism:
        return "summary"
    if asks:
        return "request"
    if criticism:
        return "criticism"
    if _PRAISE.search(text):
        return "praise"
    return "other"


ASKING: frozenset[SentenceRole] = frozenset({"request", "criticism", "question"})
SILENT: frozenset[SentenceRole] = frozenset({"praise", "summary", "verdict", "connective"})


_POINTED = _any(
    r"[“”\"„«`]|(?<!\w)[‘']\w",
    r"\b(?:eq(?:uation)?|fig(?:ure)?|tab(?:le)?|sec(?:tion)?|page|line|pg?|para(?:graph)?|footnote|theorem|lemma|remark|"
    r"algorithm|appendix|ref(?:erence)?)s?\.? ?[(\[]?\d",
    r"\b(?:typos?|grammat\w+|spelling|missing|unclear|not (?:\w+ )?clear|confus\w+|not sure|"
    r"(?:not|hard to|difficult to) (?:know|see|understand|follow|read))\b",
    r"(?:\b(?:never|not|without)|n['’]t)(?: \w+){0,2} (?:defin|mention|introduc|expla|specif|describ|stat|given|"
    r"report)",
    r"\b(?:lack|miss|omi|no|without)\w* (?:of )?(?:\w+ ){0,2}(?:related|citation|reference|baseline|detail|comparison|"
    r"expla|discussion|experiment|result|proof|definition)",
    r"\b(?:better|clearer|stronger|instead|no need|consider|mention|use|see|wonder|recommend|suggest|clarif\w+|remove|"
    r"rephrase)\b",
)


def is_pointed(sentence: str) -> bool:
    """Returns whether a sentence quotes words, names a place, says what is unclear or missing, or what would be better:
    with criticism, that amounts to a request."""
    return _POINTED.search(sentence[:_LONGEST]) is not None


_SILENT_PART = re.compile(
    r"\W*(?:the |paper |brief |overall |main |key |list of |summary of )*"
    r"(?:summary|strengths?|strong points|positives?|positive (?:points|aspects|comments)|pros|praise|contributions?|"
    r"overview|synopsis|merits?|acknowledge?ments?)(?: (?:of|and|in) (?:the |this )?[\w ]{1,40})?\W*",
    re.IGNORECASE,
)
_ASKING_PART = re.compile(r"weak|negative|cons\b|question|limit", re.IGNORECASE)


def asks_nothing(title: str) -> bool:
    """Returns whether a title or lead-in ("Strengths:", "Summary of the paper") announces a part without requests."""
    return bool(_SILENT_PART.fullmatch(title)) and not _ASKING_PART.search(title)


_CRITICAL_PART = re.compile(
    r"\W*(?:(?:the|main|key|major|minor|specific|detailed|list of)\W+)*(?:weakness(?:es)?|weak points|cons|negatives?"
    r"|limitations?|questions?|concerns?|issues?|problems?|suggestions?|(?<=[rcd] )comments"
    r"|(?:essential|required|requested) (?:revisions?|changes))\b[\w ]{0,40}\W*",
    re.IGNORECASE,
)


def asks_much(title: str) -> bool:
    """Returns whether a title ("Weaknesses", "Major comments:") announces criticism or questions."""
    return len(title) <= 80 and bool(_CRITICAL_PART.fullmatch(title))


_LABELLED = re.compile(r"\W*(?:references?\b\W*|\[[\w.+-]{1,12}\])", re.IGNORECASE)
_DATED = re.compile(r"https?://|\b(?:19|20)\d\d[a-z]?\b|\bet al\b|\barxiv\b", re.IGNORECASE)
_REVIEWING = _any(
    r"\b(?:I(?!\.)|your?|the (?:authors?|paper|manuscript)|this (?:paper|work)|please|should|could|would|must|missing|"
    r"cited?|lacks?|unclear)\b",
    r"\b(?:section|fig(?:ure)?|table|eq(?:uation)?|page|line)s?\.? \d",
    r"\?\W*$",
)
_INITIAL = re.compile(r"\b[A-Z]\.")


def cites_works(text: str) -> bool:
    """Returns whether a text is an entry of a list of references, or several: labelled, dated, mostly names and titles,
    and without a reviewer's words."""
    bare = re.sub(r"https?://\S+", " ", text)
    words = re.findall(r"[^\W\d_]{4,}", bare)
    names = sum(word[0].isupper() for word in words) >= 0.6 * len(words) or len(_INITIAL.findall(bare)) > 1
    said = _LABELLED.match(text) and (_DATED.search(text) or _INITIAL.search(bare)) and not _REVIEWING.search(bare)
    return len(words) >= 4 and names and bool(said)
