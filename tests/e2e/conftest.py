"""Whole jobs run in the real window, under the same leak net as the window's own tests."""

from __future__ import annotations

from tests.desktop_app.conftest import expected_log, leak_net, make_window, sample_path, window

__all__ = ["expected_log", "leak_net", "make_window", "sample_path", "window"]
