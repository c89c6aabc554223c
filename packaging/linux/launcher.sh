#!/bin/sh
# Starts a command with the Python beside it, wherever this folder was moved to.
place=$0
while [ -L "$place" ]; do place=$(readlink -f -- "$place"); done
case $place in */*) place=${place%/*} ;; *) place=. ;; esac
here=$(CDPATH='' cd -- "$place" && pwd)
unset PYTHONHOME PYTHONPATH
export PYTHONNOUSERSITE=1
exec "$here/python/bin/python3" -P -m @MODULE@ "$@"
