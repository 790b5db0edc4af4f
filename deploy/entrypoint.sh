#!/bin/sh
# Starts the service named by the first argument; exec, so that it receives the signals of the container.
set -eu
service=${1:-all-in-one}
[ $# -eq 0 ] || shift
main=/app/dist/services/$service/src/main.js
if [ ! -f "$main" ]; then
  echo "no such service: $service; there are: $(ls /app/dist/services | tr '\n' ' ')" >&2
  exit 64
fi
exec node --disable-warning=TimeoutNegativeWarning --enable-source-maps "$main" "$@"
