/** The replicas of an installation and its load. */
export interface Installation {
  relays: number;
  gateways: number;
  identities: number;
  billings: number;
  channels: number;
  loggings: number;
  requestsPerSecond: number;
  /** Wallets and token budgets in use in the same minute, each on every relay. */
  activeFunds: number;
}

/** Traffic that relays cause besides the requests themselves; per second, unless stated otherwise. */
interface ControlTraffic {
  /**
   * Broadcasts of revisions by the three services that own what replicas cache; Redis delivers each to every replica.
   */
  words: number;
  /** Calls that poll the revisions instead while Redis is down. */
  pollsWithoutRedis: number;
  /** Reports of relays on their leases. */
  heartbeats: number;
  /** Requests for new blocks of quota. */
  grants: number;
  /** Readiness probes. */
  probes: number;
  /** PostgreSQL queries for all of the above. */
  queries: number;
  /** Messages that Redis delivers when one object changes; not per second. */
  deliveriesPerChange: number;
  /** Upper bound of connections to PostgreSQL; not per second. */
  connections: number;
}

/** The periods in the services' code; a test compares them. */
export const PERIODS_MS = { word: 1000, heartbeat: 5000, idle: 5000, probe: 1000 } as const;
/** Identity, billing and channel broadcast their revisions. */
const REVISION_OWNERS = 3;
/** A relay polls options, users, tokens, prices and channels. */
const POLLS_OF_A_RELAY = 5;
/** Requests that a block of quota covers while the wallet has plenty. */
const REQUESTS_OF_A_BLOCK = 32;
/** Upper bound for one replica: its connection pool, and the connections of leader election. */
const CONNECTIONS_OF_A_POD = 12;
const LINGER_MS = 2;

/**
 * Traffic of broadcasts and probes grows with the number of replicas; traffic of leases and grants with requests, and
 * with how thinly these are spread over relays.
 */
export function controlTraffic(one: Installation): ControlTraffic {
  const { relays, requestsPerSecond } = one;
  const second = 1000;
  const heartbeats = (relays * second) / PERIODS_MS.heartbeat;
  const perRelay = requestsPerSecond / relays;
  // A fund with less than one request per relay within the time after which idle blocks are returned needs a new block
  // for each request.
  const perFund = (perRelay / Math.max(1, one.activeFunds)) * (PERIODS_MS.idle / second);
  const blockLasts = Math.min(REQUESTS_OF_A_BLOCK, Math.max(1, perFund));
  const grantsOfRelay = Math.min(perRelay / blockLasts, second / LINGER_MS);
  const grants = relays * grantsOfRelay;
  const called = one.identities + one.billings + one.channels;
  const probes = (relays * called + one.gateways * (called + relays + one.loggings)) * (second / PERIODS_MS.probe);
  const withTables = one.identities + one.billings + one.channels + one.loggings;
  const replicas = relays + one.gateways + withTables;
  const broadcasts = (REVISION_OWNERS * second) / PERIODS_MS.word;
  return {
    words: broadcasts * replicas,
    pollsWithoutRedis: (relays * POLLS_OF_A_RELAY * second) / PERIODS_MS.word,
    heartbeats,
    grants,
    probes,
    // Each broadcast takes one query; a batch of grants three statements plus begin and commit, a heartbeat two plus
    // begin and commit.
    queries: broadcasts + heartbeats * 4 + grants * 5,
    deliveriesPerChange: replicas,
    connections: withTables * CONNECTIONS_OF_A_POD,
  };
}

const sizes: readonly Installation[] = [1, 2, 4, 10, 30, 100].map((relays) => ({
  relays,
  gateways: Math.max(2, Math.ceil(relays / 10)),
  identities: 2,
  billings: Math.min(12, Math.max(2, Math.ceil(relays / 8))),
  channels: 2,
  loggings: Math.min(12, Math.max(2, Math.ceil(relays / 8))),
  requestsPerSecond: relays * 500,
  activeFunds: 1000,
}));

const whole = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', ' ');

/** The table in docs/scale.md. */
export function scaleTable(): string {
  const head =
    '| relays | requests/s | words/s | polls/s without Redis | heartbeats/s | grants/s | probes/s | queries/s | deliveries a change | connections |\n' +
    `|${' ---: |'.repeat(10)}\n`;
  const rows = sizes.map((one) => {
    const traffic = controlTraffic(one);
    const { words, pollsWithoutRedis, heartbeats, grants, probes, queries } = traffic;
    const { deliveriesPerChange, connections } = traffic;
    const cells = [one.relays, one.requestsPerSecond, words, pollsWithoutRedis, heartbeats, grants, probes, queries];
    return `| ${[...cells, deliveriesPerChange, connections].map(whole).join(' | ')} |\n`;
  });
  return head + rows.join('');
}
