import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '@tollgate/chassis';
import {
  bookedByNow,
  type CorrectionWish,
  type SubmittedRun,
  submitCorrections,
  type PriceDocuments,
  readPrices,
  type Rerated,
  Rerating,
} from '@tollgate/billing';
import { PERIOD, periodOf, type Flags, readFlags, refuseRest, usersOf } from './arguments.js';
import { say } from './installation.js';
import { withBilling } from './billing-query.js';
import { recordsOf } from './records.js';

const SHOWN = 20;
const MAX_ID = 2 ** 31 - 1;
const FLAGS = {
  ...PERIOD,
  'price-version': { type: 'string' },
  prices: { type: 'string' },
  archive: { type: 'string' },
  json: { type: 'boolean' },
  correct: { type: 'boolean' },
  reason: { type: 'string' },
  'requested-by': { type: 'string' },
  users: { type: 'string' },
  'without-users': { type: 'string' },
} as const;
/** Flags that need `--correct`. */
const CORRECTING = ['reason', 'requested-by', 'users', 'without-users'] as const;

/**
 * Computes every charge of a period again, by its own prices or by others. With `--correct` the differences are
 * submitted for approval.
 */
export async function rerate(args: readonly string[]): Promise<void> {
  const { flags, rest } = readFlags(args, FLAGS);
  refuseRest(rest);
  const { from = 0, to = Date.now() } = periodOf(flags);
  refuseIdle(flags);
  const correction = correctionOf(flags);
  const isWanted = wantedUsers(flags);
  await withBilling(
    async (query, installation) => {
      const documents = await readDocuments(query);
      const other = otherPrices(flags, documents);
      const rerating = new Rerating({
        ...{ from, to, documents: documents.byId, ...(other && { other }) },
        bookedOf: (ids) => chargesOf(query, ids, { isCorrected: other !== undefined || correction !== undefined }),
      });
      await recordsOf(installation, flags['archive'])('request-consumed', (records) => rerating.take(records));
      printReport(rerating, flags, other !== undefined);
      if (correction) printSubmitted(await submitCorrections(query, rerating.differences.filter(isWanted), correction));
      else if (other === undefined && rerating.differences.length + rerating.unpriced.length > 0) process.exitCode = 1;
    },
    { writes: correction !== undefined },
  );
}

type Query = Parameters<Parameters<typeof withBilling>[0]>[0];
type PriceDocument = ReturnType<typeof readPrices>;

/**
 * To verify the rating, the first charge is compared; for other prices and corrections, the charge after all
 * corrections. Refunded tasks are left out in that case.
 */
async function chargesOf(
  query: Query,
  ids: readonly string[],
  { isCorrected }: { isCorrected: boolean },
): Promise<Map<string, number>> {
  if (isCorrected) {
    const booked = [...(await bookedByNow(query, ids))].filter(([, { isRefunded }]) => !isRefunded);
    return new Map(booked.map(([id, { charged }]) => [id, charged]));
  }
  const rows = await query<{ id: string; amount: string }>(
    `select "id", "amount" from "posting" where "code" = 'consumption' and "id" = any($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map(({ id, amount }) => [id, Number(amount)]));
}

async function readDocuments(query: Query): Promise<PriceDocuments> {
  const rows = await query<{ id: string; document: PriceDocument }>('select "id", "document" from "price_version"');
  const published = await query<{ revision: string; price_version: string }>(
    'select "revision", "price_version" from "price_publication"',
  );
  const byId = new Map(rows.map(({ id, document }) => [id, document]));
  return { byId, byRevision: new Map(published.map((row) => [row.revision, row.price_version])) };
}

function otherPrices(flags: Flags, { byId, byRevision }: PriceDocuments): PriceDocument | undefined {
  const { prices } = flags;
  const version = flags['price-version'];
  if (typeof prices === 'string')
    return readPrices(readFileSync(resolve(process.env['INIT_CWD'] ?? '.', prices), 'utf8'));
  if (typeof version !== 'string') return undefined;
  const document = byId.get(byRevision.get(version) ?? version);
  if (!document) {
    const numbers = [...byRevision.keys()].map(Number).sort((a, b) => a - b);
    throw new AppError(
      'not-found',
      'price-version-unknown',
      `There is no price version ${version}. Name its id, or one of these numbers: ${numbers.slice(-SHOWN).join(', ')}.`,
    );
  }
  return document;
}

function correctionOf(flags: Flags): CorrectionWish | undefined {
  if (flags['correct'] !== true) return undefined;
  const requestedBy = Number(flags['requested-by']);
  if (!Number.isInteger(requestedBy) || requestedBy <= 0 || requestedBy > MAX_ID)
    throw new AppError('invalid', 'arguments-invalid', 'A correction needs --requested-by <id of an administrator>.');
  const { reason } = flags;
  return { reason: typeof reason === 'string' ? reason : '', requestedBy };
}

/**
 * Includes only these users in the correction, or all but these: an administrator cannot approve a run that contains
 * charges of their own.
 */
function wantedUsers(flags: Flags): (row: { userId: number }) => boolean {
  const [only, without] = [usersOf(flags, 'users'), usersOf(flags, 'without-users')];
  return ({ userId }) => (only?.has(userId) ?? true) && !(without?.has(userId) ?? false);
}

/**
 * Throws when a flag of a correction is given without `--correct`: nothing would be submitted, and the sums would
 * include all users.
 */
function refuseIdle(flags: Flags): void {
  const idle = CORRECTING.find((name) => flags[name] !== undefined);
  if (flags['correct'] !== true && idle !== undefined)
    throw new AppError('invalid', 'arguments-invalid', `--${idle} is about corrections, and needs --correct.`);
}

function printSubmitted(submitted: readonly SubmittedRun[]): void {
  for (const { approvalId, requests, digest, known } of submitted)
    say(
      `Request ${approvalId} ${known ? 'waits already' : 'was laid down'}: ${requests} corrections, SHA-256 ${digest}. Another administrator agrees to it under Approvals in the console.`,
    );
  if (submitted.length === 0) say('There is nothing to correct.');
}

function printReport(
  { total, users, models, channels, differences, unpriced, unreadable }: Rerating,
  { json }: Flags,
  isOther: boolean,
): void {
  if (json === true) {
    const rows = {
      users: Object.fromEntries(users),
      models: Object.fromEntries(models),
      channels: Object.fromEntries(channels),
    };
    say(JSON.stringify({ total, ...rows, differences, unpriced, unreadable }, undefined, 2));
    return;
  }
  const tables: [string, ReadonlyMap<string, Rerated>][] = [
    ['user', users],
    ['model', models],
    ['channel', channels],
  ];
  for (const [name, sums] of isOther ? tables : [])
    for (const [key, sum] of [...sums].sort(([, a], [, b]) => b.charged - a.charged).slice(0, SHOWN))
      say(lineOf(`${name} ${key}`, sum));
  say(lineOf('all', total));
  if (!isOther)
    for (const { requestId, charged, rerated } of differences.slice(0, SHOWN))
      say(`FAULT ${requestId}: ${charged} units were booked, its price version gives ${rerated}`);
  if (unpriced.length > 0) say(`${unpriced.length} requests have no price there, the first is ${unpriced[0]}.`);
  if (unreadable > 0)
    say(`${unreadable} records are no events of this version and were left out; reconcile names them.`);
  say(
    isOther
      ? `${differences.length} charges would be others.`
      : `${total.requests - differences.length} of ${total.requests} charges are the same to the unit.`,
  );
}

const lineOf = (name: string, { requests, charged, rerated }: Rerated): string =>
  `  ${name}: ${requests} requests, ${charged} units charged, ${rerated} by these prices (${rerated >= charged ? '+' : ''}${rerated - charged})`;
