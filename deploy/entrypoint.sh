#!/bin/sh
# Starts the service named by the first argument, or runs a command. `exec` makes that process receive the signals of
# the container.
set -eu
app=${TOLLGATE_APP:-/app}
name=${1:-all-in-one}
case $name in
  migrate | export | import | reconcile | journal | rerate | events | remove-factors | let-in | show | secrets) main=$app/dist/bundle/all-in-one/command.js ;;
  *)
    [ $# -eq 0 ] || shift
    main=$app/dist/bundle/$name/main.js
    ;;
esac
if [ ! -f "$main" ]; then
  echo "no such service or command: $name; there are: $(cd "$app/dist/bundle" && echo *) migrate export import reconcile journal rerate events remove-factors let-in show secrets" >&2
  exit 64
fi
# glibc would otherwise give each of Node's threads a memory arena of its own and not return freed memory, 40 MB in a
# relay with 1000 streams.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
# A relay keeps its compiled code while it rests, and what its requests allocate is young. The others give back what
# their start used, 6 MB each.
case $name in
  relay | all-in-one) set -- --no-memory-reducer --no-allocation-site-pretenuring "$main" "$@" ;;
  *)
    export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}"
    export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
    set -- "$main" "$@"
    ;;
esac
exec node --disable-warning=TimeoutNegativeWarning --max-semi-space-size=16 "$@"
