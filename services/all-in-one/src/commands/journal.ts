import { resolve } from 'node:path';
import { AppError } from '@tollgate/chassis';
import { auditChains, auditPeriods, exportJournal, openSigningKey } from '@tollgate/billing';
import { withBilling } from './billing-query.js';
import { PERIOD, periodOf, readFlags, refuseRest, workOf } from './arguments.js';
import { say } from './installation.js';
import { replayJournal } from './journal-replay.js';
import { boxOf } from './secrets.js';

/**
 * `export` writes files that anyone can verify, `verify` computes the chains in the database again, `key` prints the
 * public key, `replay` posts the rows of an export.
 */
export async function journal([name = '', ...args]: readonly string[]): Promise<void> {
  const work = workOf({ export: exportTo, verify, key, replay: replayJournal }, name);
  if (!work)
    throw new AppError(
      'invalid',
      'arguments-invalid',
      'Say journal export, journal verify, journal key or journal replay.',
    );
  await work(args);
}

async function exportTo(args: readonly string[]): Promise<void> {
  const { flags, rest } = readFlags(args, PERIOD);
  const { from = 0, to = Date.now() } = periodOf(flags);
  const [name, ...more] = rest;
  refuseRest(more);
  if (name === undefined) throw new AppError('invalid', 'arguments-invalid', 'Name a folder for the export.');
  const folder = resolve(process.env['INIT_CWD'] ?? '.', name);
  await withBilling(async (query, installation) => {
    const [row] = await query<{ private_sealed: string; public_key: string }>(
      'select "private_sealed", "public_key" from "seal_key" order by "created_at" desc limit 1',
    );
    if (!row) throw noKey();
    const signing = openSigningKey(boxOf(installation, 'The export is signed, which needs'), row.private_sealed);
    const report = await exportJournal({ query, folder, from, to, key: signing });
    for (const [code, sum] of Object.entries(report.units)) say(`  ${code}: ${sum} units`);
    say(`${report.rows} rows and ${report.seals} seals are in ${folder}.`);
    if (report.unsealed > 0)
      say(`${report.unsealed} newer rows are not sealed yet and were left out; export again in a minute.`);
    say(`Public key: ${row.public_key}`);
  });
}

async function verify(args: readonly string[]): Promise<void> {
  const { flags, rest } = readFlags(args, { json: { type: 'boolean' } });
  refuseRest(rest);
  await withBilling(async (query) => {
    const audit = await auditChains(query);
    const closed = await auditPeriods(query);
    const faults = audit.faults.length + audit.unlisted + closed.faults.length;
    if (flags['json'] === true) say(JSON.stringify({ ...audit, closed }, undefined, 2));
    else {
      for (const { kind, chain, position, postingId = '', detail } of audit.faults)
        say(`FAULT ${kind}: row ${position} of ${chain} ${postingId} ${detail}`);
      if (audit.unlisted > 0) say(`… and ${audit.unlisted} more of the chains`);
      for (const { period, detail } of closed.faults) say(`FAULT period: closed period ${period}, ${detail}`);
      say(
        `${audit.rows} rows under ${audit.seals} seals, ${audit.unsealed} not sealed yet, and ${closed.periods} seals of closed periods: ${faults} faults.`,
      );
    }
    if (faults > 0) process.exitCode = 1;
  });
}

async function key(args: readonly string[]): Promise<void> {
  refuseRest(readFlags(args, {}).rest);
  await withBilling(async (query) => {
    const rows = await query<{ id: string; public_key: string }>(
      'select "id", "public_key" from "seal_key" order by "created_at"',
    );
    if (rows.length === 0) throw noKey();
    for (const row of rows) say(`${row.id} ${row.public_key}`);
  });
}

const noKey = (): AppError =>
  new AppError(
    'unavailable',
    'seal-key-missing',
    'The journal was never sealed. Billing does it once a minute while it runs.',
  );
