import { scaleTable } from './control-traffic.js';
import { measured, type Measured, relaysTable, startTable } from './figures.js';

const measuredPart = (figures: Measured): string => `## What two and four relays cost (measured)

One JSON request of a kilobyte, asked of all relays at once with 32 connections together. Relays share one core, so the requests a second are those of
a core whatever their number: what grows with replicas is what a request costs them, and what it costs billing, logging, Kafka, Redis and PostgreSQL behind them.

${relaysTable(figures)}
## How long a service takes to be ready (measured)

${startTable(figures)}
The promise is five seconds each. \`node dist/tools/scale/measure-start.js\` and \`measure-relays.js\` measure one table alone, after a build; then \`npm run docs\`.
`;

/** The meaning of the columns of `scaleTable`. */
const COLUMNS = `| column | what it counts |
| --- | --- |
| words | reading changes of users, tokens, prices, options and channels from Redis, once a second |
| polls | asking the owners for these changes, while Redis is away |
| heartbeats | reporting leases to billing |
| grants | fetching new blocks of quota from billing |
| probes | checking which replicas of other services are ready |
| queries | all resulting queries to PostgreSQL |
| deliveries a change | replicas that receive one change |
| connections | the largest number of connections to PostgreSQL |
`;

/** The text of docs/scale.md. */
export const scalePage = (figures: Measured = measured()): string => `# Scale

What grows when Tollgate grows, what breaks first, and what takes over. How fast one relay is: [performance.md](performance.md). Written by
\`npm run docs\`; the text is in \`tools/scale/scale-page.ts\`, what was measured in \`tools/scale/measured.json\`.

\`\`\`sh
npm run bench:scale    # measures the two tables that say so, and writes this page; ten minutes, leave the machine alone meanwhile
\`\`\`

${measuredPart(figures)}
## What replicas cost each other (computed)

Computed from the periods in the code (\`tools/scale/control-traffic.ts\`, which a test holds to them), not measured: 500 requests a second on each
relay, a thousand wallets that all ask on every relay, which is the thinnest spread there is.

${scaleTable()}
A request whose token, user and prices are in memory makes no query. The table shows what relays do besides:

${COLUMNS}
Grants grow fastest: a wallet that is used on a hundred relays needs a block of quota on each, and blocks that are idle for five seconds are returned.
An ingress that always sends a token to the same relay (consistent hashing on \`Authorization\`) divides grants by the number of relays.

## What breaks first (estimated)

| requests a second | bottleneck | remedy |
| --- | --- | --- |
| up to 1 000 | nothing; two relays, one PostgreSQL | – |
| about 1 000 | the usage log: 170 GB a day in PostgreSQL, and its indexes | partitions by month to cheaper disks; then ClickHouse as the store of the usage log |
| about 10 000 | cold grants on billing's primary; bookings of ten thousand a second in batches | consistent hashing of keys at the ingress; twelve replicas of billing; a primary with fast disks |
| about 100 000 | billing's primary | billing sharded by user: \`request-consumed\` is already partitioned by user, and users share no rows of accounts and leases |

This table is estimated from the sizes of rows and events and from [what two and four relays cost](#what-two-and-four-relays-cost-measured); it is not
measured.

Beside rows of requests there are sums that nothing clears. A day has at most one row for each of what follows, reckoned as well, at some 200 bytes with its index:

| table | rows a day | 100 channels with 50 models each |
| --- | --- | --- |
| \`billing.channel_day\` | channel × model × names that were sent (mostly one) × 2 clocks | 10 000 rows, 2 MB; 0.7 GB a year |
| \`logging.channel_usage\` | the same × sources of usage (mostly one) | 10 000 rows, 2 MB; 0.7 GB a year |
| \`billing.statement_day\` | user × model × channel that served × group, and a few for other movements | a row for each of these that a user asked that day |
| \`logging.event_place\` | orders, codes, gifts, adjustments and what tasks gave back | a row of 100 bytes for each movement, which is few beside requests |

While a day lasts, and three days longer, the first two have up to eight rows for each, by the connection that wrote; then one replica of each service joins them, in
statements of 5 000 rows. An invoice reads the days of its channels by the key; \`reconcile\` reads the days of its period.

## Another store for the usage log

The log is written and searched by the logging service alone, and there through one port, \`LogStore\` (\`services/logging/src/store\`), with two adapters: PostgreSQL, and
ClickHouse where \`TOLLGATE_LOG_STORE=clickhouse\` ([ADR](adr/0045-the-usage-log-may-be-in-clickhouse.md)). One suite runs over both
(\`services/logging/test/contract-log-store.ts\`). What the service asks of a store:

| what | in PostgreSQL | in ClickHouse |
| --- | --- | --- |
| a row once, however often its event comes | a unique key | the same key in PostgreSQL; rows follow once it is committed, and replace themselves |
| hours that are the sums of exactly the rows that are there | one transaction | one transaction of PostgreSQL, with the rows on their way |
| names taken out of rows that were written before | an update | rows that replace others, and months put together |
| pages by time and number, from any filter, with a total | an index for each filter, totals estimated above 10 000 | columns, the newest hours first; totals counted |
| fields of \`other\` in sums and doubts for provider invoices and digests | functions for JSON | columns of their own |
| old rows cleared, hours corrected with them | months dropped whole | left out by readers at once, removed afterwards |

Tried on ClickHouse 18.16 of Debian 12 only, and not under load: how many rows a second it takes here nobody has measured. The store is chosen before the first row: a process
that finds rows in the other one refuses to start. An installation that runs already keeps PostgreSQL, or begins anew with a log in ClickHouse.

Redis carries limits and broadcasts, none of them for a hot request without limits; Kafka carries a kilobyte a request. Both are far from
their ends where PostgreSQL is at its own.
`;
