import type { Client } from 'pg';
import type { Logger } from '@tollgate/chassis';
import { connectPatiently, type LogAbout } from '@tollgate/database';
import { eventsAbout, type SpanReader, spanSearch, tableSearch } from './event-search.js';
import type { OutsideLog } from './outside-log.js';
import { formOf, LIMIT, ofEvent, ofRequest, type Queries, EVENT_ID_OF_CORRECTION } from './subject-queries.js';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

type Found = Record<string, object[]>;

interface SubjectOptions {
  url: string;
  log: Logger;
  /** Reads events if they are not in the database. */
  read?: SpanReader;
  /** The usage log if that is not in the database. */
  outsideLog?: OutsideLog;
}

/** All rows about a subject of the report, by table; an empty object if there are none. Never contains secrets. */
export async function everythingAbout(subject: string, options: SubjectOptions): Promise<Found> {
  const { url, log, read, outsideLog } = options;
  const client = await connectPatiently(url, log);
  const rows = (queries: Queries, values: unknown[], about?: LogAbout): Promise<Found> =>
    rowsOf(client, queries, values, about && outsideLog && (() => outsideLog.about(client, about, LIMIT)));
  try {
    const form = formOf(subject);
    if (form) return await rows(form.queries, form.values, form.log);
    const id = UUID.exec(subject)?.[0].toLowerCase();
    if (id === undefined) return {};
    const found = await rows(ofRequest, [id], { eventId: id });
    const eventId = await eventIdOf(client, id);
    if (eventId !== id) Object.assign(found, await rows(ofEvent, [eventId], { eventId }));
    const times = momentsOf(found);
    if (await isThere(client, 'event_log.record'))
      put(found, 'event_log.record', await eventsAbout(eventId, times, tableSearch(client, eventId)));
    if (read) put(found, 'kafka', await eventsAbout(eventId, times, spanSearch(read, eventId)));
    return found;
  } finally {
    await client.end();
  }
}

/** The id of the event about a row: the row's own id, except for most postings of a correction run. */
async function eventIdOf(client: Client, id: string): Promise<string> {
  if (!(await isThere(client, 'billing.posting'))) return id;
  const { rows } = await client.query<{ id: string }>(EVENT_ID_OF_CORRECTION, [id]);
  return rows[0]?.id ?? id;
}

async function rowsOf(
  client: Client,
  queries: Queries,
  values: unknown[],
  logRows?: () => Promise<object[]>,
): Promise<Found> {
  const found: Found = {};
  for (const [table, query] of Object.entries(queries))
    if (table === 'logging.log' && logRows) put(found, table, await logRows());
    else if (await isThere(client, table)) put(found, table, (await client.query<object>(query, values)).rows);
  return found;
}

function put(found: Found, table: string, rows: object[]): void {
  if (rows.length > 0) found[table] = rows;
}

async function isThere(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>('select to_regclass($1) is not null as yes', [table]);
  return rows[0]?.yes ?? false;
}

/** All timestamps in the rows, in milliseconds since 1970. */
const momentsOf = (found: Found): number[] =>
  Object.values(found)
    .flat()
    .flatMap((row) => Object.values(row))
    .flatMap((value: unknown) => (value instanceof Date ? [value.getTime()] : []));
