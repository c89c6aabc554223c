#!/usr/bin/env bash
# Makes .venv with everything the application and its tests need. Safe to run again: it does nothing when up to date.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON="${PYTHON:-python3}"
TORCH="${TORCH:-torch==2.13.0}"   # TORCH='torch' for a GPU build of your own choice; an existing torch is kept
stamp=.venv/.rejoinder-stamp
want="$(cat pyproject.toml constraints.txt "$0" | sha256sum | cut -c1-16) $TORCH"

say() { printf '%s\n' "$*" >&2; }

need_packages() { # need_packages WHAT PACKAGE...: installs as root, otherwise names the packages and stops
  local what="$1"; shift
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "$what: installing $*"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } >&2
  else
    say "$what. Install it with:  sudo apt-get install $*"
    exit 2
  fi
}

command -v "$PYTHON" >/dev/null || need_packages "Python is missing" python3
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  say "Rejoinder needs Python 3.11 or newer; $("$PYTHON" --version) was found. Set PYTHON=/path/to/python3.11."; exit 2; }
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || need_packages "Python's venv module is missing" python3-venv

if [ "$(cat "$stamp" 2>/dev/null)" != "$want" ]; then
  [ -x .venv/bin/python ] || "$PYTHON" -m venv .venv
  .venv/bin/python -m pip install -q --disable-pip-version-check --upgrade 'pip>=25'
  # torch first and alone: a plain dependency would choose the largest build the registry has.
  .venv/bin/python -c 'import torch' 2>/dev/null || .venv/bin/pip install -q --disable-pip-version-check "$TORCH"
  case "$TORCH" in torch==2.13.0) constraints=constraints.txt ;; *) constraints=$(mktemp); grep -v '^torch==' constraints.txt >"$constraints" ;; esac
  .venv/bin/pip install -q --disable-pip-version-check -c "$constraints" -e '.[dev]'
  printf '%s' "$want" >"$stamp"
fi

# System libraries that Qt loads at run time and that wheels do not bring.
missing=$(QT_QPA_PLATFORM=offscreen .venv/bin/python -c 'import PySide6.QtWidgets, PySide6.QtSvg' 2>&1 | grep -o 'lib[A-Za-z0-9_-]*\.so[.0-9]*' | sort -u || true)
for _ in 1 2 3 4 5 6; do
  [ -n "$missing" ] || break
  packages=""
  for library in $missing; do
    case "$library" in
      libEGL*) packages="$packages libegl1" ;;
      libGL.*|libGLX*) packages="$packages libgl1" ;;
      libOpenGL*) packages="$packages libopengl0" ;;
      libxkbcommon.*) packages="$packages libxkbcommon0" ;;
      libdbus*) packages="$packages libdbus-1-3" ;;
      libfontconfig*) packages="$packages libfontconfig1" ;;
      libglib*|libgthread*) packages="$packages libglib2.0-0" ;;
      libgomp*) packages="$packages libgomp1" ;;
      *) say "Qt misses the system library $library; install the package that holds it."; exit 2 ;;
    esac
  done
  # shellcheck disable=SC2086
  need_packages "The system library $(echo $missing) is missing" $packages
  missing=$(QT_QPA_PLATFORM=offscreen .venv/bin/python -c 'import PySide6.QtWidgets, PySide6.QtSvg' 2>&1 | grep -o 'lib[A-Za-z0-9_-]*\.so[.0-9]*' | sort -u || true)
done
[ -z "$missing" ] || { say "Qt still misses: $missing"; exit 2; }
# Offscreen text needs at least one font.
if [ -z "$(find /usr/share/fonts /usr/local/share/fonts "$HOME/.fonts" "$HOME/.local/share/fonts" -name '*.[to]tf' -print -quit 2>/dev/null)" ]; then
  need_packages "No fonts are installed" fonts-dejavu-core
fi
