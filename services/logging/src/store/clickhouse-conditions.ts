import { isUuid, timeOfId } from '@tollgate/chassis';
import type { LogRow } from '../log/log-row.js';
import { columnOf } from './clickhouse-rows.js';
import type { LogConditions } from './log-store.js';

/** Rows that are gone for every reader, and may lie in the table a while longer: older than a time, and added before a number was given. */
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

/** A value as the server reads it in a statement: old servers take no parameters beside it. */
export function literal(value: string | number | boolean): string {
  if (typeof value === 'string') return `'${value.replace(/[\\'\0\n\r\t\b]/g, (found) => ESCAPES[found] ?? found)}'`;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number`);
  return String(value);
}

export const literals = (values: readonly (string | number)[]): string => `(${values.map(literal).join(', ')})`;

const DAY = 86_400;
/** How long before the admission in its id a row may have been written, by other clocks, and how long after it. */
const EARLIER = DAY;
const LATER = 8 * DAY;

/** The table is sorted by time alone, so an id is looked for where its own time says; one without a time is looked for everywhere. */
function nearId(eventId: string): string[] {
  if (eventId[14] !== '7' || !isUuid(eventId)) return [];
  const admitted = Math.floor(timeOfId(eventId) / 1000);
  return [`created_at >= ${literal(admitted - EARLIER)}`, `created_at < ${literal(admitted + LATER)}`];
}

/** Conditions for rows whose ids lie between two, the second not included. */
export const betweenIds = (fromId: string, toId: string): string[] => [
  `event_id >= ${literal(fromId)}`,
  `event_id < ${literal(toId)}`,
  `created_at >= ${literal(Math.floor(timeOfId(fromId) / 1000) - EARLIER)}`,
  `created_at < ${literal(Math.floor(timeOfId(toId) / 1000) + LATER)}`,
];

export const visible = (cleared: readonly Cleared[]): string[] =>
  cleared.map(({ before, id }) => `not (created_at < ${literal(before)} and id <= ${literal(id)})`);

/** The conditions as SQL of ClickHouse, all of which must hold. */
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
