/** What Node is told when it runs a service. `tools/run.mjs` and `deploy/entrypoint.sh` say the same; a test holds them together. */
export const NODE_FLAGS = [
  // kafkajs computes a negative timer when it is idle, which newer Nodes warn about for no harm.
  '--disable-warning=TimeoutNegativeWarning',
  '--enable-source-maps',
  // Megabytes. Young objects would get four times the room, which a relay with many open streams fills and never gives back.
  '--max-semi-space-size=16',
];
