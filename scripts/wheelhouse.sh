#!/usr/bin/env bash
# Collects Rejoinder and all that it needs as wheels in one folder, for machines without a network: the same system, and
# the same minor version of Python as here.
#   wheelhouse.sh [FOLDER]     default: dist/wheelhouse
#   TORCH, TORCH_ARGS          as for environment.sh: which PyTorch, and options for pip where it is fetched
# Once a wheel is there it is not fetched again. INSTALL.txt in the folder says how to install from it.
set -euo pipefail
cd "$(dirname "$0")/.."
PY=.venv/bin/python
out=${1:-dist/wheelhouse}
mkdir -p "$out"
rm -f "$out"/rejoinder-*.whl
pins=$(mktemp)
trap 'rm -f "$pins"' EXIT
grep -v '^torch==' constraints.txt >"$pins"
pip=("$PY" -m pip --disable-pip-version-check --no-input)
if ! compgen -G "$out/torch-*.whl" >/dev/null; then
  read -r -a more <<<"${TORCH_ARGS:-}"
  "${pip[@]}" download --quiet --no-deps -d "$out" ${more[@]+"${more[@]}"} "${TORCH:-$(grep '^torch==' constraints.txt)}"
fi
torch=$(basename "$out"/torch-*.whl | cut -d- -f2)
printf 'torch==%s\n' "${torch//%2B/+}" >>"$pins"
"${pip[@]}" wheel --quiet -c "$pins" --find-links "$out" -w "$out" .
version=$(basename "$out"/rejoinder-*.whl | cut -d- -f2)
cat >"$out/INSTALL.txt" <<END
Rejoinder $version and everything it needs, for $("$PY" -c 'import platform, sys; print(f"Python {sys.version_info[0]}.{sys.version_info[1]} on {platform.system()} {platform.machine()}")').
In this folder, on a machine without a network, one of:

  python3 -m venv ~/rejoinder && ~/rejoinder/bin/pip install --no-index --find-links . rejoinder
  pipx install --pip-args='--no-index --find-links .' rejoinder-$version-py3-none-any.whl
  uv tool install --offline --no-index --find-links . rejoinder

"sha256sum -c SHA256SUMS" says whether the files arrived whole.
END
(cd "$out" && sha256sum -- *.whl >SHA256SUMS)
echo "$(find "$out" -name '*.whl' | wc -l) wheels ($(du -sh "$out" | cut -f1)) are in $out."
