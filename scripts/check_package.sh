#!/usr/bin/env bash
# Unpacks a package of "make package" into an empty root folder that has only the C library and a shell, and starts it
# there without a network, as nobody, with no Python, no font and no library of this system in sight.
#   check_package.sh PACKAGE.tar.gz [OUT]   keeps the report of the run without a display in OUT
# 0: all of it ran; 1: something fell short. Needs root on Linux (unshare, chroot).
set -euo pipefail
package=$(readlink -f "$1")
out=${2:-}
[ "$(id -u)" = 0 ] || { echo "This needs root, for a root folder of its own." >&2; exit 2; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,dev/shm,proc,tmp,home/somebody,"opt/a folder"}
chmod 755 "$root"
chmod 1777 "$root/tmp" "$root/dev/shm"
chown 65534:65534 "$root/home/somebody"
tar -xzf "$package" -C "$root/opt/a folder"
mv "$root/opt/a folder/"* "$root/opt/a folder/moved"
for tool in /bin/sh /lib64/ld-linux-*; do install -D "$(readlink -f "$tool")" "$root$tool"; done
for name in c m mvec dl pthread rt util resolv; do
  file=$(ldconfig -p | sed -n "s|.*lib$name\.so\.[0-9]* .*x86-64.* => ||p" | head -n 1)
  [ -z "$file" ] || install -D "$(readlink -f "$file")" "$root$file"
done
for device in "null 1 3" "zero 1 5" "random 1 8" "urandom 1 9"; do
  read -r name major minor <<<"$device"
  mknod -m 666 "$root/dev/$name" c "$major" "$minor"
done
inside() { # COMMAND...: in the root folder, alone in a network without interfaces
  env -i HOME=/home/somebody LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    unshare --net --mount --pid --fork sh -c 'mount -t proc none "$0/proc" && exec "$@"' "$root" \
    chroot --userspec=65534:65534 "$root" /bin/sh -c 'cd ~ && exec "$@"' sh "$@"
}
fail() {
  echo "FELL SHORT: $1" >&2
  exit 1
}
place="/opt/a folder/moved"
inside "$place/rejoinder" doctor || fail "doctor"
inside /bin/sh -c 'exec "$0/rejoinder" label "$0"/python/lib/python3*/site-packages/resources/sample/review-1.md --json' \
  "$place" >"$root/labels.json" || fail "labels of a review"
grep -q '"aspect"' "$root/labels.json" || fail "labels of a review: $(head -c 200 "$root/labels.json")"
inside "$place/rejoinder-desktop" --sample || fail "the window"
grep -q '"ok": true' "$root/home/somebody/run-report/report.json" || fail "the report of the window"
if [ -n "$out" ]; then
  mkdir -p "$out"
  cp -r "$root/home/somebody/run-report/." "$out"
fi
echo "The package runs in an empty folder, without a network."
