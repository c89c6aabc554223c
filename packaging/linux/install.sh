#!/bin/sh
# Puts Rejoinder into the menu and lets its files open by a double click, for this user or, with a folder as the
# argument, below it (say /usr/local/share for all). "rejoinder-desktop" must be on the PATH.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
data=${1:-${XDG_DATA_HOME:-$HOME/.local/share}}
mkdir -p "$data/applications" "$data/mime/packages" "$data/icons/hicolor/scalable/apps"
cp "$here/rejoinder.desktop" "$data/applications/"
cp "$here/rejoinder.xml" "$data/mime/packages/"
cp "$here/rejoinder.svg" "$data/icons/hicolor/scalable/apps/"
# Both are there on every desktop; without them the files are found at the next log-in.
if command -v update-mime-database >/dev/null; then update-mime-database "$data/mime"; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database "$data/applications"; fi
command -v rejoinder-desktop >/dev/null || echo "rejoinder-desktop is not on the PATH yet: double clicks will do nothing." >&2
