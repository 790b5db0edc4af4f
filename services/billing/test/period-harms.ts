import { expect } from '@jest/globals';
import type { BillingTestBed } from './test-bed.js';

const SEALED = ['closed_period', 'period_seal', 'period_signature'];

/**
 * Triggers refuse these changes, but an owner of the database can disable them. Each must be reported, and no longer be
 * reported after `undo`.
 */
const harms: [check: string, harm: string, undo: string, named: RegExp][] = [
  [
    'closed periods are what was sealed',
    `update "period_seal" set "digest" = md5('x') || "digest"`,
    `update "period_seal" set "digest" = substr("digest", 33)`,
    /^period:/,
  ],
  [
    'closed periods are what was sealed',
    `update "period_seal" set "totals" = jsonb_set("totals", '{consumption}', to_jsonb(("totals"->>'consumption')::bigint + 1))`,
    `update "period_seal" set "totals" = jsonb_set("totals", '{consumption}', to_jsonb(("totals"->>'consumption')::bigint - 1))`,
    /^period:/,
  ],
  [
    'closed periods are what was sealed',
    `update "closed_period" set "since" = "until" - 40`,
    `update "closed_period" set "since" = null`,
    /^period:/,
  ],
  [
    'seals of closed periods are signed',
    `update "period_seal" set "postings" = "postings" + 1`,
    `update "period_seal" set "postings" = "postings" - 1`,
    /^period:/,
  ],
  [
    'seals of closed periods are signed',
    `update "closed_period" set "note" = 'x' || "note"`,
    `update "closed_period" set "note" = substr("note", 2)`,
    /^period:/,
  ],
  [
    'seals of closed periods are signed',
    `update "period_signature" set "signature" = reverse("signature")`,
    `update "period_signature" set "signature" = reverse("signature")`,
    /^period:/,
  ],
  [
    'seals of closed periods are signed',
    `update "period_signature" set "text" = 'x' || "text"`,
    `update "period_signature" set "text" = substr("text", 2)`,
    /^period:/,
  ],
  [
    'seals of closed periods are signed',
    `insert into "period_signature" values (0, '', '')`,
    `delete from "period_signature" where "period_id" = 0`,
    /^period:0$/,
  ],
  [
    'a row of a statement counts for its own day',
    `update "statement_day" set "day" = "day" + 1 where "origin" < "day"`,
    `update "statement_day" set "day" = "day" - 1 where "origin" < "day"`,
    /^statement of .*, consumption m$/,
  ],
  [
    'statements are sums of the journal',
    `update "statement_day" set "cost" = "cost" + 1 where "code" = 'consumption'`,
    `update "statement_day" set "cost" = "cost" - 1 where "code" = 'consumption'`,
    /^statement of .*, consumption /,
  ],
];

export async function expectHarmNamed(testBed: BillingTestBed): Promise<void> {
  for (const table of SEALED) await testBed.sql(`alter table "${table}" disable trigger user`);
  for (const [check, harm, undo, named] of harms) {
    expect([check, ...(await testBed.faultsOf(check))]).toEqual([check]);
    await testBed.sql(harm);
    expect((await testBed.faultsOf(check))[0]).toMatch(named);
    await testBed.sql(undo);
  }
  for (const table of SEALED) await testBed.sql(`alter table "${table}" enable trigger user`);
}

const unlocked = async (testBed: BillingTestBed, ...statements: string[]): Promise<void> => {
  for (const table of SEALED) await testBed.sql(`alter table "${table}" disable trigger user`);
  for (const statement of statements) await testBed.sql(statement);
  for (const table of SEALED) await testBed.sql(`alter table "${table}" enable trigger user`);
};

/** The state after an upgrade from a release without signatures. */
export async function forgetSignatures(testBed: BillingTestBed): Promise<void> {
  await unlocked(testBed, `delete from "period_signature"`);
  expect(await testBed.faultsOf('seals of closed periods are signed')).toEqual([]);
}

/** Expects that a missing signature is reported while others exist, and so is a missing seal. */
export async function expectMissed(testBed: BillingTestBed, lost: number): Promise<void> {
  await unlocked(testBed, `delete from "period_signature" where "period_id" = ${lost}`);
  expect(await testBed.faultsOf('seals of closed periods are signed')).toEqual([`period:${lost}`]);
  const check = 'closed periods are what was sealed';
  expect(await testBed.faultsOf(check)).not.toContain(`period:${lost}`);
  await unlocked(testBed, `delete from "period_seal" where "period_id" = ${lost}`);
  expect(await testBed.faultsOf(check)).not.toContain(`period:${lost}`);
  await unlocked(testBed, `update "closed_period" set "closed_at" = now() - interval '2 hours'`);
  expect(await testBed.faultsOf(check)).toContain(`period:${lost}`);
}

/** Slightly more than a wallet may hold comes in and goes out again, five times, three weeks ago. */
export const fillAndEmpty = (testBed: BillingTestBed, user: number): Promise<object[]> =>
  testBed.sql(
    `insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "reference")
     select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 20 * 86400000), 12, '0') || substr(md5('w' || n), 13))::uuid, 'admin-adjustment',
       case n % 2 when 0 then 'wallet:${user}' else 'adjustments' end, case n % 2 when 1 then 'wallet:${user}' else 'adjustments' end, 1000000000000001, ${user}, n::text
     from generate_series(1, 10) n`,
  );
