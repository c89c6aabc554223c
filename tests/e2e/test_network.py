"""Nothing leaves this machine: whole jobs in the window and of every command, watched at the level of system calls.

The jobs of commands are tests of the command line, run again under strace; ``JOBS`` says which test runs which command.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from engine.cli.main import rejoinder
from tests.e2e.command_log import LOG, leaves
from tests.e2e.sockets import ROOT, read_trace, traced

SAMPLE = ROOT / "resources" / "sample"
LINE = "tests/engine/cli/test_"
JOBS = {
    "align_command.py::test_from_pdfs": "align",
    "alignment_commands.py::test_reproduce_prints_a_table_for_people": "reproduce alignment",
    "alignment_commands.py::test_train_aligner_trains_and_tells": "train-aligner",
    "assign_command.py::test_the_pairs_are_written": "assign",
    "calibrate_command.py::test_text_output_is_a_ranking": "calibrate file, calibrate synthetic",
    "calibrate_command.py::test_table_one_prints_the_published_column": "reproduce calibration-table-1",
    "coverage_and_marked_commands.py::test_agreement": "agreement",
    "coverage_and_marked_commands.py::test_marked": "marked",
    "coverage_and_marked_commands.py::test_merge": "project merge",
    "coverage_and_marked_commands.py::test_what_was_done_is_written": "coverage",
    "doctor_command.py::test_everything_is_named": "doctor",
    "edits_command.py::test_json_and_files": "edits",
    "erase_and_share_commands.py::test_erase_says_first_what_goes_and_erases_with_yes": "project erase",
    "erase_and_share_commands.py::test_share_writes_what_was_chosen": "project share",
    "inspect_and_check_commands.py::test_inspect_prints_what_is_hidden": "inspect",
    "inspect_and_check_commands.py::test_check_marks_each_sentence": "review check",
    "label_command.py::test_a_fine_tuned_encoder_is_asked_with_the_heads": "label, train encoder",
    "label_command.py::test_training_from_a_project_keeps_heads_in_it": "train heads",
    "letter_command.py::test_json_has_the_fields_and_offsets_in_code_points": "letter",
    "models_commands.py::test_a_folder_is_added_set_used_checked_and_removed":
        "models add, models check, models list, models remove, models set, models use",
    "papers_commands.py::test_papers_are_imported_listed_renamed_replaced_and_removed":
        "paper import, paper list, paper rename, paper replace, paper remove",
    "papers_commands.py::test_two_versions_and_a_letter_become_links_that_are_exported": "paper compare",
    "papers_commands.py::test_a_paper_is_read_again_where_an_earlier_version_read_it": "paper read-again",
    "papers_commands.py::test_reviews_are_moved_renamed_and_removed": "review move, review rename, review remove",
    "papers_commands.py::test_studies_are_renamed_and_removed": "survey rename, survey remove",
    "packages_commands.py::test_a_round_from_dealing_to_status":
        "project packages create, project packages open, project packages feedback, project packages results, "
        "project packages import, project packages status, project packages rewrite",
    "paragraphs_command.py::test_json_has_the_promised_fields_and_nothing_else_is_printed": "paragraphs",
    "project_command.py::test_a_life_of_a_project":
        "project new, project info, project check, project backup, project restore, project compact",
    "project_command.py::test_a_file_with_a_program_of_its_own_is_salvaged": "project salvage",
    "project_command.py::test_close_ends_the_process_that_holds_it": "project close",
    "project_formats_command.py::test_a_bundle_is_written_and_becomes_a_project": "project export, project import",
    "project_tables_command.py::test_what_a_project_holds_is_printed": "project tables, project rows, project query",
    "project_tables_command.py::test_a_frame_is_written_and_read_back": "project frame",
    "propose_command.py::test_frames_propose_for_the_comments_that_nothing_answers": "propose",
    "rank_command.py::test_one_annotator_and_bad_rows": "rank",
    "rebuttal_command.py::test_a_letter_that_went_out_comes_in_again[docx]": "rebuttal export, rebuttal import",
    "rebuttal_command.py::test_templates_are_offered_where_one_fits": "rebuttal templates",
    "rebuttal_command.py::test_pages_are_measured_where_they_are_limited": "rebuttal check",
    "reproduce_all_command.py::test_a_part_that_fails_is_named_and_the_others_are_there": "reproduce all",
    "reproduce_rebuttal_command.py::test_who_waits_is_told_which_task_runs_and_how_far_it_is": "reproduce rebuttal",
    "reproduce_similarity_command.py::test_all_that_needs_no_model_and_what_was_published": "reproduce similarity",
    "review_ablate_command.py::test_a_folder_of_papers": "review ablate",
    "review_ablate_command.py::test_the_revisions_beside_the_published_tables": "reproduce review-bench",
    "review_draft_command.py::test_a_library_of_files_is_searched": "review draft",
    "review_score_command.py::test_two_sources_on_one_paper": "review score",
    "search_command.py::test_results_are_printed_by_kind": "search",
    "second_round_command.py::test_two_versions_and_a_letter": "second-round",
    "similarity_command.py::test_the_list_of_algorithms": "similarity algorithms",
    "similarity_command.py::test_a_model_of_ones_own_trained_and_used[json lines]":
        "similarity train acl, similarity score",
    "statistics_command.py::test_generated_and_real_edits_beside_tables_5_and_6": "reproduce edit-generation",
    "statistics_command.py::test_what_is_printed_is_what_was_linked": "statistics",
    "train_substantiation_command.py::test_weights_and_card_are_written": "train substantiation",
    "survey_command.py::test_a_whole_survey": "survey new, survey merge, survey summary, survey export, survey import",
}  # fmt: skip
OPEN = "project open"
"""Has a test of its own here: it starts the window."""


def _listed() -> set[str]:
    return {words for commands in JOBS.values() for words in commands.split(", ")} | {OPEN}


def test_every_command_has_a_job() -> None:
    assert set(leaves(rejoinder)) == _listed()


def test_no_command_uses_a_network(tmp_path: Path) -> None:
    log = tmp_path / "commands.log"
    tests = [LINE + name for name in JOBS]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:pytest-qt", "-p", "tests.e2e.command_log"]
    done, trace = traced(
        [*command, "--basetemp", str(tmp_path / "jobs"), *tests],
        tmp_path, {LOG: str(log), "REJOINDER_WITHOUT_QT": "1", "CI": os.environ.get("CI", "")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:]
    assert f"{len(tests)} passed" in done.stdout, "no job was skipped"
    written = log.read_text(encoding="utf-8").splitlines()
    ran = {words for words in _listed() for line in written if f"{line} ".replace("\t", " ").startswith(f"{words} ")}
    assert ran == _listed() - {OPEN}, "each command was run by the job that is listed for it"
    assert trace.ran("engine.documents.worker") and trace.ran("engine.cli.main")
    assert trace.breaches == []
    made = [path for home in (tmp_path / "jobs").glob("homes*/[0-9]*") for path in home.rglob("*")]
    assert len(made) > 10 and not [path for path in made if path.lstat().st_mode & 0o077], "all is its owner's alone"


@pytest.fixture
def papers(tmp_path: Path) -> list[Path]:
    """Two versions of a paper made here, so that nothing of them is known to any cache."""
    made = []
    for version in ("submitted", "revised"):
        path = tmp_path / f"{version}.pdf"
        with pymupdf.open(SAMPLE / f"{version}.pdf") as document:
            document.new_page().insert_text((72, 72), f"Written for this test: {tmp_path.name}.", fontsize=11)
            document.save(path)
        made.append(path)
    return made


def test_the_window_uses_no_network_and_its_status_bar_says_so(
    tmp_path: Path, papers: list[Path], own_home: Path
) -> None:
    job = [sys.executable, "-m", "tests.e2e.window_job", str(tmp_path), *map(str, papers)]
    done, trace = traced(job, tmp_path, {"QT_QPA_PLATFORM": "offscreen"})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["network"] == ["network: none"]
    assert found["panes"] > 5 and found["suggestions"] > 0
    assert trace.ran("engine.documents.worker") and trace.ran("engine.models.encoder_worker")
    assert trace.breaches == []
    assert any(own_home.rglob("*")) and not [path for path in own_home.rglob("*") if path.lstat().st_mode & 0o077]


def test_a_project_opened_from_the_command_line_uses_no_network(tmp_path: Path) -> None:
    """Without a display, so that the window does its headless report and ends."""
    environment = {"QT_QPA_PLATFORM": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    path = tmp_path / "project.rejoinder"
    shutil.copyfile(SAMPLE / "sample.rejoinder", path)
    command = [sys.executable, "-m", "engine.cli.main", "project", "open", str(path)]
    done, trace = traced(command, tmp_path, environment, start=tmp_path)
    assert done.returncode == 0 and "report.md" in done.stdout, done.stderr
    assert trace.ran("desktop_app.main")
    assert trace.breaches == []


# --- with a server that the user named --------------------------------------------------------------------------------

ASK = """
import sys
from dataclasses import replace
from engine.models.language import Message, Prompt
from engine.models.server_language import Server, ServerLanguageModel
from engine.papers.connectors import CONNECTORS, PaperLookup, settings_of
url = sys.argv[1]
model = ServerLanguageModel(Server(url + "/v1", connect_seconds=5.0, silence_seconds=5.0), "small")
print(model.complete(Prompt((Message("user", "Say something."),), max_tokens=5)).text)
settings = replace(settings_of(["crossref"]), addresses=dict.fromkeys(CONNECTORS, url), seconds=5.0)
print(len(PaperLookup(settings).search("reading")))
"""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer('{"message": {"items": [{"title": ["On reading"]}]}}', "application/json")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        piece = {"choices": [{"index": 0, "delta": {"content": "Something."}, "finish_reason": "stop"}]}
        self._answer(f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n", "text/event-stream")

    def _answer(self, text: str, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[int]:
    """The port of a scripted server of language models and papers."""
    running = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    running.daemon_threads = True
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    yield running.server_address[1]
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.mark.loopback
def test_a_named_server_is_reached_directly_and_no_proxy_is(tmp_path: Path, server: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
        done, trace = traced(
            [sys.executable, "-c", ASK, f"http://127.0.0.1:{server}"], tmp_path,
            dict.fromkeys(names, address) | {"NO_PROXY": "", "no_proxy": ""}, allowed=[("127.0.0.1", server)],
        )  # fmt: skip
    assert done.stdout == "Something.\n1\n", done.stderr
    assert trace.breaches == []


# --- the watch itself -------------------------------------------------------------------------------------------------

NATIVE = """
import ctypes, struct, sys
libc = ctypes.CDLL(None)
if sys.argv[1] == "connect":
    where = struct.pack("=H", 2) + struct.pack("!H", 9) + bytes([127, 0, 0, 1]) + bytes(8)
    libc.connect(libc.socket(2, 1, 0), where, len(where))
elif sys.argv[1] == "netlink":
    libc.socket(16, 3, 0)
else:
    import socket
    try: socket.getaddrinfo("example.invalid", 80)
    except OSError: pass
"""


@pytest.mark.parametrize("act", ["connect", "netlink", "look-up"])
@pytest.mark.parametrize("below", [False, True], ids=["itself", "in a process that it starts"])
def test_the_watch_sees_what_python_does_not(act: str, below: bool, tmp_path: Path, no_network: Path) -> None:
    code = (
        NATIVE if not below else f"import subprocess, sys; subprocess.run([sys.executable, '-c', {NATIVE!r}, {act!r}])"
    )
    done, trace = traced([sys.executable, "-c", code, act], tmp_path, {"REJOINDER_SOCKET_LOG": ""})
    assert done.returncode == 0, done.stderr
    assert trace.breaches
    if act == "connect":
        assert any("socket(AF_INET" in line for line in trace.ip) and any("connect(" in line for line in trace.ip)


def test_lines_are_sorted_by_what_they_show() -> None:
    address = '{sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr("%s")}, 16) = 0'
    text = "\n".join([
        '7 execve("/usr/bin/python3", ["python3", "-m", "engine.cli.main"], 0x7ff /* 9 vars */) = 0',
        "7 socket(AF_INET6, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_IP) = 3",
        "8 connect(3, " + address % (443, "192.0.2.1"),
        "8 connect(3, " + address % (8080, "127.0.0.1"),
        "8 sendto(3, \"x\", 1, 0, " + address % (53, "127.0.0.53"),
        '8 connect(4, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", '
        "&sin6_addr), sin6_scope_id=0}, 28) = 0",
        '9 connect(4, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT (No such file)',
        '9 connect(4, {sa_family=AF_UNIX, sun_path=@"/tmp/.X11-unix/X0"}, 20) = 0',
        "9 socket(AF_UNIX, SOCK_STREAM, 0) = 5",
        "9 socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT) = 5",
        "9 socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) = 5",
        "9 socket(AF_VSOCK, SOCK_STREAM, 0) = 5",
    ])  # fmt: skip
    trace = read_trace(text)
    assert trace.programs == ["python3 -m engine.cli.main"] and trace.processes == {"7", "8", "9"}
    assert (len(trace.ip), len(trace.lookups), len(trace.other)) == (4, 2, 2)
    trace = read_trace(text, [("127.0.0.1", 8080)])
    assert [line[:10] for line in trace.ip] == ["8 connect("] * 2 and "127.0.0.1" not in "".join(trace.ip)
    assert (len(trace.lookups), len(trace.other)) == (2, 1)
