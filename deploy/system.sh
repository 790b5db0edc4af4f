#!/bin/sh
# Copies into a folder the parts of the system that our processes need: Node, a shell, the libraries of both and of
# native packages, certificates and name lookup. Also copies the records of the Debian packages that the libraries
# belong to, where scanners look for them.
#
#   system.sh <node_modules> <folder>
set -eu
packages=$1
target=$2
mkdir -p "$target/usr/local/bin" "$target/bin" "$target/etc/ssl/certs" "$target/var/lib/dpkg/status.d" "$target/tmp" /empty
# A memory file system mounted there takes over this mode.
chmod 1777 "$target/tmp"
cp "$(command -v node)" "$target/usr/local/bin/node"
cp -L /bin/sh "$target/bin/sh"

natives=$(find "$packages" -name '*.node' -type f)
# Some packages contain binaries for other systems, which ldd cannot read, or for musl, whose libraries are missing
# here.
for file in "$(command -v node)" /bin/sh $natives; do
  ldd "$file" 2>/dev/null || true
done >/tmp/needed
if grep 'not found' /tmp/needed | grep -v musl >&2; then
  echo 'system.sh: a native package needs a library that the base image lacks' >&2
  exit 1
fi
sed -n 's/^[^/]*\(\/[^ ]*\) (0x.*/\1/p' /tmp/needed | sort -u >/tmp/libraries
while read -r library; do
  mkdir -p "$target$(dirname "$library")"
  cp -L "$library" "$target$library"
  for name in "$library" "/usr$library"; do
    package=$(dpkg -S "$name" 2>/dev/null | cut -d: -f1 | head -n 1)
    [ -z "$package" ] || dpkg -s "$package" >"$target/var/lib/dpkg/status.d/$package"
  done
done </tmp/libraries

for file in /etc/nsswitch.conf /etc/os-release /etc/debian_version /etc/ssl/certs/ca-certificates.crt; do
  [ ! -e "$file" ] || cp -L "$file" "$target$file"
done
echo 'root:x:0:0:root:/root:/sbin/nologin' >"$target/etc/passwd"
echo 'node:x:1000:1000::/data:/sbin/nologin' >>"$target/etc/passwd"
printf 'root:x:0:\nnode:x:1000:\n' >"$target/etc/group"
find "$target" /empty -exec touch -h -d @0 {} +
# Fails the build if the copied Node does not run.
chroot "$target" /bin/sh -c 'node --version'
