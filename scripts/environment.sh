#!/usr/bin/env bash
# Makes .venv with everything the application and its tests need, or mends it after an interruption. Safe to run again:
# it says and does nothing when all is there. With --window also looks for what a window on this display needs, with --tests
# for what only tests need.
#   PYTHON      the interpreter (3.11 or newer)            default: python3
#   TORCH       the PyTorch to install where there is none  default: the one in constraints.txt
#   TORCH_ARGS  further options for pip at that step, such as --index-url for the CPU builds
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON="${PYTHON:-python3}"
log=.venv/set-up.log
stamp=.venv/.rejoinder-stamp

say() { printf '%s\n' "$*" >&2; }

install_packages() { # WHAT PACKAGE...: installs as root, otherwise names the packages and stops
  local what="$1" output
  shift
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "$what. Install what is missing, then run this again:"
    say "  sudo apt-get install $*"
    command -v apt-get >/dev/null || say "(These are the names of Debian and Ubuntu; other systems call them much the same.)"
    exit 2
  fi
  say "$what: installing $*"
  output=$(
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"; } 2>&1
  ) || {
    say "$output"
    say "The packages could not be installed; what apt-get said stands above. Nothing was changed in this folder."
    exit 2
  }
}

pip_step() { # WHAT ARGUMENT...: pip, its words in the log; what went wrong is shown
  say "  $1"
  shift
  .venv/bin/python -m pip --disable-pip-version-check --no-input "$@" >>"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    say "The environment is not complete: pip failed, its last words stand above, all of them in $log."
    say "What was fetched is kept; run the same command again when the cause (often the network or a full disk) is gone."
    exit 2
  }
}

# The stamp is written last, so an interrupted set-up is taken up again.
want="$PWD"$'\n'"$(cat pyproject.toml constraints.txt scripts/environment.sh | cksum)"
ready() { [ "$(cat "$stamp" 2>/dev/null)" = "$want" ] && [ -x .venv/bin/python ]; }
! ready || PYTHON=.venv/bin/python

# 1. The system: all that is missing is found before anything is fetched, and named at once.
packages=()
if command -v "$PYTHON" >/dev/null; then
  "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    say "Rejoinder needs Python 3.11 or newer; $("$PYTHON" --version) was found. Set PYTHON=/path/to/python3.11."
    exit 2
  }
else
  [ "$PYTHON" = python3 ] || { say "There is no interpreter $PYTHON. Set PYTHON=/path/to/python3.11 or leave it out."; exit 2; }
  install_packages "Python is missing" python3 python3-venv
fi
missing=$("$PYTHON" -I -S desktop_app/system_libraries.py "$@")
[ -z "$missing" ] || mapfile -t packages <<<"$missing"
if [ ! -x .venv/bin/python ] && ! "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null; then
  [ "$PYTHON" = python3 ] && packages+=(python3-venv) || packages+=("$(basename "$PYTHON")-venv")
fi
# The test of network use needs it. Where it cannot be installed the test is skipped, and fails in CI.
if [[ " $* " == *" --tests "* && "$(uname)" = Linux && "$(id -u)" = 0 ]] && ! command -v strace >/dev/null; then
  packages+=(strace)
fi
[ ${#packages[@]} = 0 ] || install_packages "Parts of the system that Rejoinder needs are missing" "${packages[@]}"

# 2. The environment.
! ready || exit 0
! command -v flock >/dev/null || { exec 9<.; flock 9; } # two at once would trip over each other
! ready || exit 0

place=$(head -n 1 "$stamp" 2>/dev/null || true)
if [ -e .venv ] && ! .venv/bin/python -c 'import encodings' 2>/dev/null; then
  say "The interpreter of .venv is gone or was never complete; .venv is made anew."
  rm -rf .venv
elif [ "${place:0:1}" = / ] && [ "$place" != "$PWD" ]; then
  say "This folder was moved or copied from $place, where .venv still points to; .venv is made anew."
  rm -rf .venv
fi
if [ -e "$stamp" ]; then
  say "Bringing the environment in .venv up to date."
elif [ -e .venv ]; then
  say "Completing the environment in .venv; this may fetch some gigabytes and take minutes."
else
  say "Making the environment in .venv; the first time this fetches some gigabytes and takes minutes."
fi
[ -x .venv/bin/python ] || "$PYTHON" -m venv --without-pip .venv
: >"$log"
.venv/bin/python -m pip --version >>"$log" 2>&1 || .venv/bin/python -m ensurepip --upgrade --default-pip >>"$log" 2>&1 || {
  say "pip could not be put into .venv; what it said stands in $log."
  exit 2
}
# What an interrupted pip left: packages without the record that is written last, and old ones moved aside.
find .venv/lib -maxdepth 3 -path '*/site-packages/*' \( -name '~*' -o -name '*.dist-info' \) -print0 |
  while IFS= read -r -d '' entry; do
    case "$entry" in */~*) ;; *) [ ! -e "$entry/RECORD" ] || continue ;; esac
    rm -rf "$entry"
  done

# PyTorch alone and first: as a mere dependency it would be the largest build of the newest version. One that is there is
# kept, whatever it is: the constraint on it is the version that is installed.
rest=.venv/constraints.txt
grep -v '^torch==' constraints.txt >"$rest"
torch=$(.venv/bin/python -c 'from importlib.metadata import version; print(version("torch"))' 2>/dev/null || true)
if [ -z "$torch" ]; then
  args=(install)
  wanted="${TORCH:-$(grep '^torch==' constraints.txt)}"
  # On Linux the public index hands out the build for GPUs. uv knows where the one for the CPU is kept.
  if [ "$(uname)" = Linux ] && [ -z "${TORCH_ARGS:-}" ] && [ ! -e /proc/driver/nvidia/version ] && [ ! -e /dev/kfd ] &&
    .venv/bin/python -m pip install --quiet --target .venv/uv uv >>"$log" 2>&1; then
    say "  PyTorch, the build for the CPU, since no GPU was found"
    UV_HTTP_RETRIES=1 .venv/uv/bin/uv pip install --python .venv/bin/python --torch-backend cpu "$wanted" >>"$log" 2>&1 ||
      say "    (could not be fetched from its own index)"
  fi
  rm -rf .venv/uv
  # A registry of its own may lack the exact versions of the other packages; they are put right below.
  if [ -n "${TORCH_ARGS:-}" ]; then read -r -a more <<<"$TORCH_ARGS" && args+=("${more[@]}"); else args+=(-c "$rest"); fi
  if ! .venv/bin/python -c 'from importlib.metadata import version; version("torch")' 2>/dev/null; then
    pip_step "PyTorch (a large download; README.md says how to get the smaller build for the CPU)" "${args[@]}" "$wanted"
  fi
  torch=$(.venv/bin/python -c 'from importlib.metadata import version; print(version("torch"))')
fi
printf 'torch==%s\n' "$torch" >>"$rest"
pip_step "the other packages, in the versions of constraints.txt" install -c "$rest" -e '.[dev]'
printf '%s' "$want" >"$stamp"
say "The environment is ready."
