"""The worker processes: bounded, replaceable, never in the way; and what hostile files come to."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import psutil
import pymupdf
import pytest

from engine.confinement import Held
from engine.documents.lanes import Lane
from engine.documents.objects import _unpacked
from engine.documents.service import DocumentService
from engine.documents.worker import MAX_PIXELS
from engine.errors import BadInput, Cancelled, EnvironmentProblem
from tests.engine.documents.typeset import conference_paper

ROOT = Path(__file__).resolve().parents[3]


def small_pdf(text: str = "Hello there, reader.", pages: int = 1, width: float = 200, height: float = 100) -> bytes:
    with pymupdf.open() as document:
        for number in range(pages):
            page = document.new_page(width=width, height=height)
            page.insert_text((20, 50), f"{text} {number + 1}")
        return bytes(document.tobytes())


@pytest.fixture(scope="module")
def long_pdf() -> bytes:
    """Enough pages that reading them takes a while."""
    paper = conference_paper(seed=1, pages=6).finish()
    with pymupdf.open(stream=paper, filetype="pdf") as one, pymupdf.open() as many:
        for _ in range(10):
            many.insert_pdf(one)
        return bytes(many.tobytes())


def wait_for(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + seconds
    waiter = threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            return False
        waiter.wait(0.02)
    return True


def test_open_tells_sizes_and_render_draws_them(service: DocumentService) -> None:
    opened = service.open(small_pdf(pages=3))
    assert [(p.number, p.width, p.height) for p in opened.pages] == [(1, 200, 100), (2, 200, 100), (3, 200, 100)]
    image = service.render(opened.sha256, 2, 2.0)
    assert (image.page, image.width, image.height) == (2, 400, 200)
    assert len(image.samples) == image.stride * image.height
    assert set(image.samples) > {255}, "text is drawn on white"


def test_a_missing_page_and_an_unopened_document_are_said(service: DocumentService) -> None:
    opened = service.open(small_pdf())
    with pytest.raises(BadInput, match="no page 9"):
        service.render(opened.sha256, 9, 1.0)
    with pytest.raises(KeyError):
        service.render("0" * 64, 1, 1.0)


def test_a_huge_page_is_drawn_smaller(service: DocumentService) -> None:
    opened = service.open(small_pdf(width=14_000, height=14_000))
    image = service.render(opened.sha256, 1, 4.0)
    assert image.scale < 4.0
    assert image.width * image.height <= 1.01 * MAX_PIXELS


def test_a_killed_worker_is_replaced_and_its_documents_are_open_again() -> None:
    with DocumentService() as service:
        opened = service.open(small_pdf())
        before = service.render(opened.sha256, 1, 1.0)
        for pid in service.worker_pids:
            psutil.Process(pid).kill()
        assert wait_for(lambda: not service.worker_pids)
        assert service.render(opened.sha256, 1, 1.0) == before
        assert service.parse(small_pdf()).pages


def test_cancel_works_within_a_second_and_the_next_parse_too(long_pdf: bytes) -> None:
    with DocumentService() as service:
        started = threading.Event()
        stop = threading.Event()
        took: list[float] = []

        def parse() -> None:
            try:
                service.parse(long_pdf, progress=lambda *_: started.set(), cancelled=stop.is_set)
            except Cancelled:
                took.append(time.monotonic())

        thread = threading.Thread(target=parse)
        thread.start()
        assert started.wait(30)
        asked = time.monotonic()
        stop.set()
        thread.join(10)
        assert took
        assert took[0] - asked < 1.0
        assert service.parse(small_pdf()).paragraphs[0].text == "Hello there, reader. 1"


def test_what_a_cancelled_job_asks_is_given_up_and_others_are_answered() -> None:
    with DocumentService() as service:
        stopped = service.until(lambda: True)
        for ask in (lambda: stopped.typeset("Title", ["<p>text</p>"]), lambda: stopped.mark(small_pdf(), [], "Title")):
            with pytest.raises(Cancelled):
                ask()
        assert service.typeset("Title", ["<p>text</p>"]).startswith(b"%PDF")


def test_a_progress_that_raises_cancelled_stops_the_parse(long_pdf: bytes) -> None:
    def refuse(fraction: float, words: str) -> None:
        raise Cancelled

    with DocumentService() as service, pytest.raises(Cancelled):
        service.parse(long_pdf, progress=refuse)


def test_a_parse_does_not_delay_a_page_image(long_pdf: bytes) -> None:
    with DocumentService() as service:
        opened = service.open(small_pdf())
        started, done = threading.Event(), threading.Event()

        def parse() -> None:
            service.parse(long_pdf, progress=lambda *_: started.set())
            done.set()

        thread = threading.Thread(target=parse)
        thread.start()
        assert started.wait(30)
        service.render(opened.sha256, 1, 1.0)
        assert not done.is_set(), "the image came while the parse was running"
        thread.join()


def test_too_long_is_a_clear_word_and_the_worker_is_replaced(long_pdf: bytes) -> None:
    with DocumentService(parse_seconds=0.3) as service:
        with pytest.raises(EnvironmentProblem, match="given up"):
            service.parse(long_pdf)
        service._parse_seconds = 60.0  # on a busy machine, a small one takes longer than the long one may
        service.parse(small_pdf())


def test_too_much_memory_is_a_clear_word() -> None:
    with DocumentService(memory=60_000_000) as service, pytest.raises(EnvironmentProblem):
        service.parse(small_pdf())


def test_a_request_that_meets_a_closing_lane_is_cancelled() -> None:
    lane = Lane(300_000_000)
    with lane.turn(None) as process:
        lane.close()  # as another thread would at this moment
        process.held = Held()
        with pytest.raises(Cancelled):
            lane.ask(process, {"do": "facts"}, b"words", seconds=5)


def test_a_page_that_is_asked_for_after_the_end_is_cancelled() -> None:
    with DocumentService() as service:
        opened = service.open(small_pdf())
    with pytest.raises(Cancelled):
        service.render(opened.sha256, 1, 1.0)


def test_close_ends_the_workers_and_running_requests(long_pdf: bytes) -> None:
    service = DocumentService()
    service.warm()
    pids = service.worker_pids
    started = threading.Event()
    ended: list[BaseException] = []

    def parse() -> None:
        try:
            service.parse(long_pdf, progress=lambda *_: started.set())
        except Cancelled as stop:
            ended.append(stop)

    thread = threading.Thread(target=parse)
    thread.start()
    assert started.wait(30)
    service.close()
    thread.join(10)
    assert len(pids) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert ended
    with pytest.raises(Cancelled):
        service.parse(small_pdf())


def test_no_worker_outlives_its_parent() -> None:
    script = (
        "import os\n"
        "from engine.documents.service import DocumentService\n"
        "service = DocumentService()\n"
        "service.warm()\n"
        "print(*service.worker_pids, flush=True)\n"
        "os._exit(1)\n"
    )
    output = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    pids = [int(pid) for pid in output.stdout.split()]
    assert len(pids) == 2
    assert wait_for(lambda: not any(psutil.pid_exists(p) and psutil.Process(p).status() != "zombie" for p in pids))


# --- hostile files ---


def encrypted() -> bytes:
    with pymupdf.open(stream=small_pdf(), filetype="pdf") as document:
        return bytes(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="other"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"just some text, nothing else", "not a PDF"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 40, "damaged"),
        (encrypted(), "password"),
    ],
    ids=["empty", "not a PDF", "damaged", "encrypted"],
)
def test_what_cannot_be_read_is_said_in_sentences(service: DocumentService, data: bytes, words: str) -> None:
    for call in (service.open, service.parse):
        with pytest.raises(BadInput, match=words) as problem:
            call(data)
        assert problem.value.do


def test_a_missing_file_and_a_folder_are_said(service: DocumentService, tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.pdf", tmp_path):
        with pytest.raises(BadInput, match="couldn't be read"):
            service.parse(path)


def test_a_truncated_file_is_read_as_far_as_it_goes(service: DocumentService) -> None:
    data = small_pdf(pages=5)
    cut = data[: int(len(data) * 0.5)]
    parsed = service.parse(cut)
    assert "The PDF is damaged; what could be repaired was read." in parsed.warnings
    assert [doubt.page for doubt in parsed.doubtful] == [3, 4, 5]
    seen = service.inspect(cut)
    assert not seen.complete and "damaged" in seen.unexamined[-1].why


def test_an_object_that_is_listed_and_not_there_damages_nothing(service: DocumentService) -> None:
    """As programs leave it that take objects out of a file: the table of objects counts more than it lists."""
    content = b"BT /F1 12 Tf 72 700 Td (Plain words of a page.) Tj ET"
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
        4: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</Font<</F1 6 0 R>>>>>>",
        5: b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        6: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    }  # fmt: skip
    data, at = b"%PDF-1.4\n", dict[int, int]()
    for number, body in objects.items():
        at[number] = len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    entries = {number: b"%010d 00000 n \n" % place for number, place in at.items()}
    table = b"0 3\n0000000000 65535 f \n" + entries[1] + entries[2] + b"4 3\n" + b"".join(entries[n] for n in (4, 5, 6))
    end = b"trailer<</Size 7/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(data)
    data += b"xref\n" + table + end
    assert [p.text for p in service.parse(data).paragraphs] == ["Plain words of a page."]
    assert service.inspect(data).unexamined == ()


def test_a_scan_without_text_is_a_warning(service: DocumentService) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 80))
        page.insert_image(page.rect, pixmap=pixels)
        parsed = service.parse(document.tobytes())
    assert parsed.paragraphs == ()
    assert any("scan" in warning for warning in parsed.warnings)


def test_a_page_without_anything_is_a_warning(service: DocumentService) -> None:
    with pymupdf.open() as document:
        document.new_page()
        parsed = service.parse(document.tobytes())
    assert parsed.warnings == ("The PDF contains no text.",)


def test_two_thousand_pages_are_read(service: DocumentService) -> None:
    data = small_pdf("A line of words on page", pages=2000)
    assert len(service.open(data).pages) == 2000
    assert len(service.parse(data).pages) == 2000


def raw_pdf(*objects: str) -> bytes:
    """A PDF of hand-written objects, numbered from 1, without a table of them: readers have to look for them."""
    body = "".join(f"{i} 0 obj\n{o}\nendobj\n" for i, o in enumerate(objects, start=1))
    return f"%PDF-1.4\n{body}trailer\n<< /Root 1 0 R >>\n%%EOF\n".encode()


PAGES_LOOP = raw_pdf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 3 /Kids [2 0 R 3 0 R] >>",
    "<< /Type /Pages /Count 1 /Parent 2 0 R /Kids [2 0 R] >>",
)
FORM_LOOP = raw_pdf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>",
    "<< /Length 5 >>\nstream\n/F Do\nendstream",
    "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 5 /Resources << /XObject << /F 5 0 R >> >> >>\n"
    "stream\n/F Do\nendstream",
)
REFERENCE_LOOP = raw_pdf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox 4 0 R /Contents 4 0 R >>",
    "5 0 R",
    "4 0 R",
)


@pytest.mark.parametrize("data", [PAGES_LOOP, FORM_LOOP, REFERENCE_LOOP], ids=["pages", "forms", "references"])
def test_endless_loops_of_objects_end(service: DocumentService, data: bytes) -> None:
    pids = service.worker_pids
    try:
        parsed = service.parse(data)
        service.render(service.open(data).sha256, 1, 1.0)
        assert parsed.warnings
    except EnvironmentProblem as problem:
        assert problem.what
    assert service.worker_pids == pids, "no worker was lost over it"


def test_references_to_none_that_mupdf_gives_away_have_a_reserve() -> None:
    code = "import sys; from engine.documents import worker; worker._keep_none(); print(sys.getrefcount(None))"
    left = int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)
    assert left > 1 << 30


@pytest.mark.parametrize("behind", [b"", b"\n", b"more"])
def test_what_follows_the_end_of_a_packed_stream_is_passed_over(behind: bytes) -> None:
    assert _unpacked(zlib.compress(b"ab" * 1_500_000) + behind, 1) == 3_000_000
