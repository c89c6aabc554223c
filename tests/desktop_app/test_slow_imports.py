"""What takes long to load is loaded where nobody waits for it: not on the window's thread while a pane is shown."""

from __future__ import annotations

import json
import subprocess
import sys

# A process of its own: here, other tests have long loaded everything.
SHOWN = """
import json, sys, threading
from desktop_app.headless import settle
from desktop_app.panes import PANES
from desktop_app.project_control import private_sample
from desktop_app.window import MainWindow, application

application()
window = MainWindow()
window.show()
assert window.open_path(str(private_sample()))
settle(window)
main, loaded = threading.current_thread(), []


class Finder:
    def find_spec(self, name, path=None, target=None):
        if threading.current_thread() is main:
            loaded.append(name)


sys.meta_path.insert(0, Finder())
for pane in PANES:
    window.show_pane(pane.id)
    settle(window)
print(json.dumps(loaded))
window.stop_work()
window.close()
"""
SLOW = ("scipy.stats", "scipy.optimize", "pandas", "sklearn", "torch", "transformers", "markdown_it", "pymupdf")
"""Each takes 20 to 1,500 ms."""


def test_no_pane_loads_what_is_slow_on_the_window_s_thread() -> None:
    done = subprocess.run([sys.executable, "-c", SHOWN], check=True, capture_output=True, text=True, timeout=300)
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert loaded, "the panes load their own code at least"
    assert [name for name in loaded if name.startswith(SLOW)] == []
