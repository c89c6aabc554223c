"""The system libraries that Qt loads but its wheels don't contain, and the Debian and Ubuntu packages with them.

Also runs before the environment exists (``python3 desktop_app/system_libraries.py [--window|--all]`` prints the missing
packages, one per line, for the present display or for any), so it uses only the standard library.
"""

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

LIBRARIES = (
    ("libEGL.so.1", "libegl1"), ("libGL.so.1", "libgl1"), ("libX11.so.6", "libx11-6"),
    ("libdbus-1.so.3", "libdbus-1-3"), ("libfontconfig.so.1", "libfontconfig1"), ("libfreetype.so.6", "libfreetype6"),
    ("libglib-2.0.so.0", "libglib2.0-0"), ("libgthread-2.0.so.0", "libglib2.0-0"), ("libstdc++.so.6", "libstdc++6"),
    ("libxkbcommon.so.0", "libxkbcommon0"), ("libz.so.1", "zlib1g"), ("libzstd.so.1", "libzstd1"),
)  # fmt: skip
"""Needed with and without a display, as (library, package)."""

X11_LIBRARIES = (
    ("libX11-xcb.so.1", "libx11-xcb1"), ("libxcb-cursor.so.0", "libxcb-cursor0"), ("libxcb-glx.so.0", "libxcb-glx0"),
    ("libxcb-icccm.so.4", "libxcb-icccm4"), ("libxcb-image.so.0", "libxcb-image0"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1"), ("libxcb-randr.so.0", "libxcb-randr0"),
    ("libxcb-render.so.0", "libxcb-render0"), ("libxcb-render-util.so.0", "libxcb-render-util0"),
    ("libxcb-shape.so.0", "libxcb-shape0"), ("libxcb-shm.so.0", "libxcb-shm0"), ("libxcb-sync.so.1", "libxcb-sync1"),
    ("libxcb-util.so.1", "libxcb-util1"), ("libxcb-xfixes.so.0", "libxcb-xfixes0"),
    ("libxcb-xkb.so.1", "libxcb-xkb1"), ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
)  # fmt: skip
WAYLAND_LIBRARIES = (
    ("libwayland-client.so.0", "libwayland-client0"),
    ("libwayland-cursor.so.0", "libwayland-cursor0"),
    ("libwayland-egl.so.1", "libwayland-egl1"),
)
FONTS = "fonts-dejavu-core"
"""The package suggested if no font is installed: Qt would then draw no text."""


def window_libraries(environment: os._Environ[str] | dict[str, str] = os.environ) -> tuple[tuple[str, str], ...]:
    """Returns what a window on the display set in ``environment`` needs beyond ``LIBRARIES``; none without a
    display."""
    chosen = environment.get("QT_QPA_PLATFORM", "")
    if not sys.platform.startswith("linux") or chosen not in {"", "xcb", "wayland"}:
        return ()
    if chosen != "xcb" and environment.get("WAYLAND_DISPLAY"):
        return WAYLAND_LIBRARIES
    return X11_LIBRARIES if environment.get("DISPLAY") else ()


def missing_packages(libraries: Iterable[tuple[str, str]]) -> list[str]:
    return list(dict.fromkeys(package for library, package in libraries if not _loads(library)))


def x_server_answers() -> bool:
    """Returns whether the X server of ``DISPLAY`` accepts a connection; otherwise Qt would abort."""
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    answers: bool = xcb.xcb_connection_has_error(connection) == 0
    xcb.xcb_disconnect(connection)
    return answers


def fonts_missing(folders: Iterable[Path] | None = None) -> bool:
    """Returns whether none of the given folders (default: those fontconfig searches) contains a font."""
    if folders is None:
        home = Path(os.environ.get("HOME", "/"))
        shared = ("/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/X11/fonts")
        folders = (*map(Path, shared), home / ".fonts", home / ".local/share/fonts")
    endings = (".ttf", ".otf", ".ttc")
    return not any(
        name.lower().endswith(endings) for folder in folders for _, _, names in os.walk(folder) for name in names
    )


def advice(packages: Iterable[str]) -> str:
    """Returns instructions for installing the packages."""
    return (
        "The window needs system libraries that are missing here. Install them with:\n"
        f"  sudo apt-get install {' '.join(packages)}\n"
        "(These are the names of Debian and Ubuntu; other systems use similar names.)\n"
    )


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def main(arguments: list[str]) -> int:
    wanted = LIBRARIES + (window_libraries() if "--window" in arguments else ())
    if "--all" in arguments:
        wanted += X11_LIBRARIES + WAYLAND_LIBRARIES
    packages = missing_packages(wanted)
    if fonts_missing():
        packages.append(FONTS)
    sys.stdout.write("".join(f"{package}\n" for package in packages))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
