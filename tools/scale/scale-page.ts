import { scaleTable } from './control-traffic.js';

/** docs/scale.md. */
export const scalePage = (): string => `# Scale

What grows when Tollgate grows, what breaks first, and what takes over. How fast one relay is: [performance.md](performance.md). Written by
\`npm run docs\`; the text is in \`tools/scale/scale-page.ts\`.

## What replicas cost each other

Computed from the periods in the code (\`tools/scale/control-traffic.ts\`, which a test holds to them), not measured: 500 requests a second on each
relay, a thousand wallets that all ask on every relay, which is the thinnest spread there is.

${scaleTable()}
A hot request makes no query. What is in the table is what relays do besides: they hear once a second what is new of users, keys, prices,
options and channels (and ask, while Redis is away), report their leases, and fetch new blocks of quota. Grants are what grows: a wallet that asks a hundred relays needs a block on each, and blocks that are idle for five seconds go
back. An ingress that sends a key to the same relay (consistent hashing on \`Authorization\`) brings them down by the number of relays.

## What breaks first

| requests a second | what breaks | what takes over |
| --- | --- | --- |
| up to 1 000 | nothing; two relays, one PostgreSQL | – |
| about 1 000 | the usage log: 170 GB a day in PostgreSQL, and its indexes | partitions by month to cheaper disks; then another store of the logging service (a column store such as ClickHouse) |
| about 10 000 | cold grants on billing's primary; bookings of ten thousand a second in batches | consistent hashing of keys at the ingress; twelve replicas of billing; a primary with fast disks |
| about 100 000 | billing's primary | billing sharded by user: the partitions of \`request-consumed\` are by user already, accounts and leases have no row in common between users |

The second table is reckoned from sizes of rows and events and from the first one, not measured.

A store for the usage log other than PostgreSQL is not part of this release, and there is no port for one in the code yet: the log is written and searched by
the logging service alone, so that is where it will go. One could be tried without a vendor's registry: Debian 12 has ClickHouse 18.16 (HTTP interface,
MergeTree; of 2018), and \`chdb\` of PyPI is a current engine inside of a process. Nobody has.

Redis carries limits and broadcasts, none of them for a hot request without limits; Kafka carries a kilobyte a request. Both are far from
their ends where PostgreSQL is at its own.
`;
