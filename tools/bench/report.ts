import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DialectRow } from './dialects.js';
import type { GrowthRow } from './growth.js';
import type { LogList } from './log-list.js';
import type { Measured, Pace, Row } from './measure.js';
import type { SealingCost } from './sealing.js';
import type { SystemCost, SystemShare } from './system.js';

const DOCUMENT = resolve(import.meta.dirname, '../../../docs/performance.md');
const BEGIN = '<!-- figures: written by npm run bench -->';
const END = '<!-- end of figures -->';

const titles = { json: 'JSON, 1 kB', sse: 'SSE, 100 chunks', burst: 'SSE, 100 chunks, 4 to a write' } as const;
const fixed = (value: number, digits = 0): string => value.toFixed(digits);
const pair = ([first, second]: [number, number], digits: number): string =>
  `${fixed(first, digits)} / ${fixed(second, digits)}`;

/** A Markdown table, padded as Prettier does it. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const costRow = (row: Row): string[] => [
  titles[row.kind],
  row.target,
  fixed(row.microseconds),
  fixed(row.perCpuSecond),
  `${fixed(row.ratio, 2)} (${fixed(row.ratios[0], 2)}–${fixed(row.ratios[1], 2)})`,
  fixed(row.perSecond),
  fixed(row.busy * 100),
  pair(row.latency, 1),
  fixed(row.readsPerReply),
];

const paceRow = (pace: Pace): string[] => [
  titles[pace.kind],
  pace.target,
  fixed(pace.rate),
  pair(pace.latency, 2),
  pair(pace.firstToken, 2),
];

export function figures(measured: Measured): string {
  const { machine, isPinned, repeats, seconds, load, rows, paces, megabytes } = measured;
  const costs = table([
    [
      'path',
      'process',
      'CPU µs',
      'requests per CPU-second',
      'ratio (range)',
      'requests/s',
      'busy %',
      'ms p50 / p99',
      'reads',
    ],
    ...rows.map(costRow),
  ]);
  const latencies = table([
    ['path', 'process', 'requests/s', 'ms p50 / p99', 'first byte ms p50 / p99'],
    ...paces.map(paceRow),
  ]);
  const sections = [...(rows.length > 0 ? [costs, 'At half of the rate the relay reached above:', latencies] : [])];
  sections.push(...around(measured));
  const cores = isPinned ? 'the measured process on one core, all else on the other' : 'processes not bound to cores';
  return [
    `${new Date().toISOString().slice(0, 10)}; ${machine}; ${cores}; medians of ${repeats} interleaved rounds of ${seconds} s; ` +
      `load average ${fixed(load[0], 1)} before, ${fixed(load[1], 1)} after; the relay had ${fixed(megabytes)} MB at the end.`,
    ...sections,
  ].join('\n\n');
}

const logTable = ({ fewRows, manyRows, rows }: LogList): string[] => [
  'The newest page of the log, median of 25 calls through the gateway:',
  table([
    ['filter', `ms over ${fewRows} rows`, `ms over ${manyRows} rows`, 'times'],
    ...rows.map(({ filter, few, many }) => [filter, fixed(few, 1), fixed(many, 1), fixed(many / few, 1)]),
  ]),
];

const dialectTable = (rows: readonly DialectRow[]): string[] => [
  'Other calls than a chat that goes through as it is:',
  table([
    ['call', 'process', 'CPU µs', 'requests/s', 'ms p50 / p99', 'reads'],
    ...rows.map(({ what, target, microseconds, perSecond, latency, readsPerReply }) => [
      what,
      target,
      fixed(microseconds),
      fixed(perSecond),
      pair(latency, 1),
      fixed(readsPerReply),
    ]),
  ]),
];

const growthTable = (rows: readonly GrowthRow[]): string[] => [
  'A JSON request beside more and more of what there is:',
  table([
    ['what', 'how many', 'CPU µs of the relay', 'CPU µs of the whole system'],
    ...rows.map(({ what, count, relay, all }) => [what, String(count), fixed(relay), fixed(all)]),
  ]),
];

const sealingTable = (rows: readonly SealingCost[]): string[] => [
  'Booking of what waits in the log, with and without what makes the journal provable (with sealing the CPU time counts until all is chained):',
  table([
    ['', 'events', 'booked/s', 'against alone, %', 'CPU µs of PostgreSQL', 'CPU µs of billing'],
    ...rows.map(({ way, events, perSecond, postgres, billing }) => [
      ...[way, fixed(events), fixed(perSecond), fixed((perSecond / (rows[0]?.perSecond ?? perSecond) - 1) * 100)],
      ...[fixed(postgres), fixed(billing)],
    ]),
  ]),
];

/** One row per process, and one for their sum. */
function systemTable({ requests, shares }: SystemCost): string[] {
  const sum = (value: (share: SystemShare) => number): number => shares.reduce((all, share) => all + value(share), 0);
  const line = (name: string, share: Omit<SystemShare, 'name'>): string[] => [
    name,
    fixed(share.microseconds),
    fixed(share.idle * 100, 2),
    fixed(share.megabytes),
  ];
  return [
    `The whole system for ${requests} JSON requests, until the last one is booked and logged; then while nothing happens:`,
    table([
      ['process', 'CPU µs for a request', 'idle, % of a core', 'MB'],
      ...shares.map((share) => line(share.name, share)),
      line('all', {
        microseconds: sum(({ microseconds }) => microseconds),
        idle: sum(({ idle }) => idle),
        megabytes: sum(({ megabytes }) => megabytes),
      }),
    ]),
  ];
}

/** The sections about everything besides the comparison of the targets. */
function around(measured: Measured): string[] {
  const { dialects, system, booking, balance, streams, heap, logList, growth, sealing } = measured;
  const lines: string[][] = [];
  if (booking) {
    const { booked, inserted } = booking;
    const times = (of: 'perSecond' | 'perDatabaseSecond'): string => fixed(booked[of] / inserted[of], 1);
    lines.push(
      [
        'booking of what waits in the log',
        `${fixed(booking.events)} events at ${fixed(booked.perSecond)}/s; ${fixed(booked.perDatabaseSecond)} per CPU second of PostgreSQL, ${fixed(booking.perBillingSecond)} of billing`,
      ],
      [
        'one INSERT per event in its own transaction',
        `${fixed(inserted.perSecond)}/s; ${fixed(inserted.perDatabaseSecond)} per CPU second of PostgreSQL; booking is ${times('perSecond')} and ${times('perDatabaseSecond')} times that`,
      ],
    );
  }
  if (balance)
    lines.push([
      'from the end of a reply to the shown balance',
      `p50 ${fixed(balance.milliseconds[0])} ms, p99 ${fixed(balance.milliseconds[1])} ms, longest ${fixed(balance.milliseconds[2])} ms; ${balance.probes} probes beside ${balance.rate} requests/s`,
    ]);
  if (streams)
    lines.push([
      `${streams.count} open streams, a chunk a second each`,
      `${streams.samples.map((sample) => fixed(sample)).join(', ')} MB over ${streams.seconds} s (${fixed(streams.before)} before the first one), ${fixed(streams.busy * 100)} % of the core, ${fixed(streams.chunks)} chunks delivered`,
    ]);
  for (const { kind, kilobytes, least, most } of heap ?? [])
    lines.push([
      `heap that a request leaves behind, ${titles[kind]}`,
      `${fixed(kilobytes, 1)} kB (${fixed(least, 1)} to ${fixed(most, 1)}), booked and collected twice where it is young`,
    ]);
  const tables = lines.length === 0 ? [] : [table([['what', 'figure'], ...lines])];
  if (system) tables.unshift(...systemTable(system));
  if (dialects) tables.unshift(...dialectTable(dialects));
  if (logList) tables.push(...logTable(logList));
  if (growth) tables.push(...growthTable(growth));
  if (sealing) tables.push(...sealingTable(sealing));
  return tables;
}

/** Replaces the text between the two markers and keeps everything written around them. */
export function writeFigures(text: string): void {
  const old = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : `# Performance\n\n${BEGIN}\n${END}\n`;
  const begin = old.indexOf(BEGIN);
  const end = old.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`${DOCUMENT} has lost the comments that the figures go between`);
  writeFileSync(DOCUMENT, `${old.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${old.slice(end)}`);
}
