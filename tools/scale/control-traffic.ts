/** What an installation is made of, and what it serves in a second. */
export interface Installation {
  relays: number;
  gateways: number;
  identities: number;
  billings: number;
  channels: number;
  loggings: number;
  requestsPerSecond: number;
  /** Wallets and keys that ask in the same minute, each on every relay. */
  activeFunds: number;
}

/** In a second, unless said otherwise; what relays do for themselves besides the requests. */
export interface ControlTraffic {
  /** Words of the three owners of what replicas keep, each delivered to every replica by Redis. */
  words: number;
  /** Calls instead of them, while Redis is away. */
  pollsWithoutRedis: number;
  /** Leases that relays report on. */
  heartbeats: number;
  /** Requests for new blocks of quota. */
  grants: number;
  /** Questions whether a replica is ready. */
  probes: number;
  /** Queries of PostgreSQL for all of that. */
  queries: number;
  /** Messages that Redis delivers when one object is changed. */
  deliveriesPerChange: number;
  /** Connections to PostgreSQL, at most. */
  connections: number;
}

/** As the code has them; a test compares. */
export const PERIODS_MS = { word: 1000, heartbeat: 5000, idle: 5000, probe: 1000 } as const;
/** Identity, billing and channel tell the revisions of what they own. */
const TELLERS = 3;
/** Options, users, tokens, prices, channels. */
const POLLS_OF_A_RELAY = 5;
/** A block is worth so many requests while the wallet has plenty. */
const REQUESTS_OF_A_BLOCK = 32;
/** Pool, leader of the outbox, and what listens. */
const CONNECTIONS_OF_A_POD = 12;
const LINGER_MS = 2;

/** The traffic of control planes grows with replicas; that of money with requests and with how thinly they are spread. */
export function controlTraffic(one: Installation): ControlTraffic {
  const { relays, requestsPerSecond } = one;
  const second = 1000;
  const heartbeats = (relays * second) / PERIODS_MS.heartbeat;
  const perRelay = requestsPerSecond / relays;
  // A fund that asks a relay less than once in the time after which idle blocks go back needs a block each time.
  const perFund = (perRelay / Math.max(1, one.activeFunds)) * (PERIODS_MS.idle / second);
  const blockLasts = Math.min(REQUESTS_OF_A_BLOCK, Math.max(1, perFund));
  const grantsOfRelay = Math.min(perRelay / blockLasts, second / LINGER_MS);
  const grants = relays * grantsOfRelay;
  const asked = one.identities + one.billings + one.channels;
  const probes = (relays * asked + one.gateways * (asked + relays + one.loggings)) * (second / PERIODS_MS.probe);
  const withTables = one.identities + one.billings + one.channels + one.loggings;
  const replicas = relays + one.gateways + withTables;
  const told = (TELLERS * second) / PERIODS_MS.word;
  return {
    words: told * replicas,
    pollsWithoutRedis: (relays * POLLS_OF_A_RELAY * second) / PERIODS_MS.word,
    heartbeats,
    grants,
    probes,
    // What is told is read once; a batch of grants is three statements and its ends, a heartbeat two.
    queries: told + heartbeats * 4 + grants * 5,
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

/** The table of docs/scale.md. */
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
