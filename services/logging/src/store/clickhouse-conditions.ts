import { isUuid, timeOfId } from '@tollgate/chassis';
import type { LogRow } from '../log/log-row.js';
import { columnOf } from './clickhouse-rows.js';
import type { LogConditions } from './log-store.js';

/**
 * Rows that are cleared for every reader, although they may still be in ClickHouse: older than a time, and added before
 * an id was assigned.
 */
export interface Cleared {
  before: number;
  id: number;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
};

/** A value as a SQL literal, because old servers do not support query parameters. */
export function literal(value: string | number | boolean): string {
  if (typeof value === 'string') return `'${value.replace(/[\\'\0\n\r\t\b]/g, (found) => ESCAPES[found] ?? found)}'`;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number`);
  return String(value);
}

export const literals = (values: readonly (string | number)[]): string => `(${values.map(literal).join(', ')})`;

const DAY = 86_400;
/** How far the time of a row may lie before (clocks differ) and after the admission time in its id. */
const EARLIER = DAY;
const LATER = 8 * DAY;

/**
 * The table is sorted by time only, so a search by id is restricted to the time in the id; an id without a time is
 * searched for everywhere.
 */
function nearId(eventId: string): string[] {
  if (eventId[14] !== '7' || !isUuid(eventId)) return [];
  const admitted = Math.floor(timeOfId(eventId) / 1000);
  return [`created_at >= ${literal(admitted - EARLIER)}`, `created_at < ${literal(admitted + LATER)}`];
}

/** Conditions for ids from `fromId` to `toId`, exclusive. */
export const betweenIds = (fromId: string, toId: string): string[] => [
  `event_id >= ${literal(fromId)}`,
  `event_id < ${literal(toId)}`,
  `created_at >= ${literal(Math.floor(timeOfId(fromId) / 1000) - EARLIER)}`,
  `created_at < ${literal(Math.floor(timeOfId(toId) / 1000) + LATER)}`,
];

export const visible = (cleared: readonly Cleared[]): string[] =>
  cleared.map(({ before, id }) => `not (created_at < ${literal(before)} and id <= ${literal(id)})`);

/** The conditions in ClickHouse's SQL, to be joined by `and`. */
export function testsOf({ from, to, eventId, ...equal }: LogConditions): string[] {
  return [
    ...Object.entries(equal).map(([name, value]) => `${columnOf(name as keyof LogRow)} = ${literal(value)}`),
    ...(eventId === undefined
      ? []
      : [`event_id = ${literal(eventId.toLowerCase())}`, ...nearId(eventId.toLowerCase())]),
    ...(from === undefined ? [] : [`created_at >= ${literal(from)}`]),
    ...(to === undefined ? [] : [`created_at <= ${literal(to)}`]),
  ];
}

export const where = (tests: readonly string[]): string => (tests.length === 0 ? '' : ` where ${tests.join(' and ')}`);
