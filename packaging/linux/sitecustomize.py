"""In the relocatable build: loads the libraries that came along where the system has none of that name.

A library of the system is preferred, since drivers and desktops are built for it. What is loaded here is found by its
name afterwards, whichever library or plugin of Qt needs it.
"""

import os
import sys
from pathlib import Path


def load_missing(folder: Path, known: Path = Path("/etc/ld.so.cache")) -> list[str]:
    """Loads the libraries in ``folder`` that the cache of the system's linker does not list; returns their names.

    Raises ``OSError`` where one of them cannot be loaded even after all others.
    """
    names = known.read_bytes() if known.is_file() else b""
    missing = [file for file in sorted(folder.glob("*.so*")) if b"\0%s\0" % file.name.encode() not in names]
    if missing:
        import ctypes
    loaded: list[str] = []
    while missing:  # one may need another
        left = []
        for file in missing:
            try:
                ctypes.CDLL(str(file), mode=ctypes.RTLD_GLOBAL)
            except OSError:
                left.append(file)
            else:
                loaded.append(file.name)
        if len(left) == len(missing):
            ctypes.CDLL(str(left[0]))
        missing = left
    return loaded


if sys.platform == "linux":
    load_missing(Path(sys.base_prefix) / "lib" / "system")
    if not Path("/etc/fonts/fonts.conf").is_file():
        os.environ.setdefault("FONTCONFIG_FILE", str(Path(sys.base_prefix) / "share" / "fonts.conf"))
