import type { JournalEntry } from '@tollgate/testing';
import type { Books } from './books.js';
import { KINDS, type Seen, WORDS } from './witness.js';

export interface Judgement {
  /** Requests that were charged. */
  booked: number;
  doubled: number;
  /** Requests whose client received bytes, but which were not booked. */
  lost: number;
  /** Descriptions of everything that is wrong. */
  faults: string[];
}

interface Evidence {
  seen: readonly Seen[];
  books: Books;
  journal: readonly JournalEntry[];
  /** Times at which relays were killed, by the clock of `seen`. */
  relayDeaths?: readonly number[];
}

/**
 * An interrupted stream is charged by our own token count, which may count a short word as two tokens and may be ahead
 * by a few words.
 */
export const ESTIMATE = { factor: 2.5, ahead: 4 };
/**
 * Our own count of a prompt also includes the framing of messages: up to thirty tokens where the upstream counts three
 * words.
 */
const PROMPT_FACTOR = 10;
const MARK = /\bm\d+x\d+\b/;
const markOf = ({ body }: JournalEntry): string | undefined => MARK.exec(JSON.stringify(body))?.[0];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const grouped = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> =>
  Map.groupBy(items, keyOf) as Map<string, T[]>;

/** The maximum that may be charged for what the upstream has sent. */
function mostFor(seen: Seen, entries: readonly JournalEntry[]): number {
  const { priceOf } = KINDS[seen.kind];
  const words = sum(entries.filter(({ status }) => status === 200).map((entry) => entry.wordsSent));
  return Math.max(priceOf(Math.min(words, WORDS)), ESTIMATE.factor * priceOf(words + ESTIMATE.ahead));
}

/** The maximum charge for a prompt alone. */
export const mostForPrompt = (kind: Seen['kind']): number => PROMPT_FACTOR * KINDS[kind].priceOf(0);

/** Whether a relay was killed while the client was waiting. */
export const sawDeath = ({ askedAt, endedAt }: Seen, relayDeaths: readonly number[]): boolean =>
  relayDeaths.some((at) => askedAt <= at && at <= endedAt);

/** Everything known about one request. */
interface Trace {
  seen: Seen;
  sawDeath: boolean;
  bookings: Books['bookings'];
  rows: Books['rows'];
  served: readonly JournalEntry[];
}

const gotBytes = ({ status, received }: Seen): boolean => status === 200 && received !== '';

/**
 * Whether a request was refused and charged nevertheless. Excepted are requests whose relay was killed between writing
 * the record to disk and sending the first byte: the record is booked with its last progress, which is the prompt.
 */
function isPaidRefusal(trace: Trace, amount: number): boolean {
  const { seen, rows, served } = trace;
  if (seen.status < 400 || amount === 0) return false;
  const isOfTheDead = trace.sawDeath && [502, 503].includes(seen.status) && rows[0]?.outcome === 'interrupted';
  return !(isOfTheDead && served.some(({ status }) => status === 200) && amount <= mostForPrompt(seen.kind));
}

function faultsOf(trace: Trace): string[] {
  const { seen, bookings, rows, served } = trace;
  const amount = sum(bookings.map((booking) => booking.amount));
  const [row] = rows;
  const isBookedOnce = bookings.length === 1 && rows.length === 1 && row?.type === 2;
  const rules: [boolean, string][] = [
    [
      !gotBytes(seen) || isBookedOnce,
      `its client got bytes, and there are ${bookings.length} bookings and ${rows.length} rows of it`,
    ],
    [!gotBytes(seen) || amount > 0, 'its client got bytes for nothing'],
    [!seen.isWhole || amount === KINDS[seen.kind].priceOf(WORDS), `whole answer booked with ${amount} units`],
    [!seen.isWhole || row?.outcome === 'completed', `whole answer logged as ${row?.outcome}`],
    [!isPaidRefusal(trace, amount), `refused with ${seen.status}, and charged ${amount} units`],
    [amount <= mostFor(seen, served), `${amount} units for less upstream work`],
  ];
  const name = `${seen.kind} ${seen.mark} (${seen.requestId || 'no id'})`;
  return rules.flatMap(([holds, fault]) => (holds ? [] : [`${name}: ${fault}`]));
}

/**
 * Compares three independent sources: what clients received, what was booked and logged, and what the upstream served.
 */
export function judge({ seen, books, journal, relayDeaths = [] }: Evidence): Judgement {
  const bookings = grouped(books.bookings, ({ id }) => id);
  const rows = grouped(books.rows, ({ id }) => id);
  const served = grouped(
    journal.filter((entry) => markOf(entry) !== undefined),
    (entry) => markOf(entry) ?? '',
  );
  const traces = seen.map((one) => ({
    seen: one,
    sawDeath: sawDeath(one, relayDeaths),
    bookings: bookings.get(one.requestId) ?? [],
    rows: rows.get(one.requestId) ?? [],
    served: served.get(one.mark) ?? [],
  }));
  const isLost = (trace: Trace): boolean => trace.bookings.length === 0 || trace.rows.length === 0;
  const repeated = [...bookings.values(), ...rows.values()].filter(({ length }) => length > 1).length;
  const charged = books.bookings.filter(({ amount }) => amount > 0).length;
  const upstream = [...served.values()].flat().filter(({ status }) => status === 200).length;
  const surplus = Math.max(0, charged - upstream);
  return {
    booked: charged,
    doubled: repeated + surplus,
    lost: traces.filter((trace) => gotBytes(trace.seen) && isLost(trace)).length,
    faults: [
      ...traces.flatMap(faultsOf),
      ...(repeated > 0 ? [`${repeated} requests are there twice`] : []),
      ...(surplus > 0 ? [`${charged} requests are charged, and the upstream served ${upstream}`] : []),
      ...disagreements(books),
    ],
  };
}

/** Differences between the books of all services, once no request is in progress. */
export function disagreements(books: Books): string[] {
  const { bookings, rows, wallet, tokens, sums } = books;
  const total = sum(bookings.map(({ amount }) => amount));
  const expected: [string, number, number][] = [
    ['spent of the wallet', wallet.spent, total],
    ['requests of the wallet', wallet.requests, bookings.filter(({ isRequest }) => isRequest).length],
    ['spent of the tokens', tokens.spent, total],
    ['quota of the log rows', sum(rows.map(({ quota }) => quota)), total],
    ['quota of the hours', sums.hours, total],
    ['quota of the channels', sums.channels, total],
    ['log rows', rows.length, bookings.length],
    ['wallets or tokens that hold what no lease has', books.heldFaults, 0],
  ];
  const booked = new Set(bookings.map(({ id }) => id));
  const strangers = rows.filter(({ id }) => !booked.has(id)).length;
  return [
    ...expected.flatMap(([name, is, should]) =>
      is === should ? [] : [`${name}: ${is}, but ${should} by the journal`],
    ),
    ...(strangers > 0 ? [`${strangers} log rows without a posting`] : []),
  ];
}

/** What is still held after some seconds without requests; nothing should be. */
export function leftovers({ outstanding, wallet, tokens }: Books): string[] {
  const held = {
    'leases outstanding': outstanding,
    'held of the wallet': wallet.held,
    'held of the tokens': tokens.held,
  };
  return Object.entries(held).flatMap(([name, units]) => (units === 0 ? [] : [`${name}: ${units} units`]));
}
