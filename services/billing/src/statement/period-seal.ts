import type { Query } from '../seal/chain-rows.js';
import { isSignedBy } from '../seal/signature.js';

/** The signed facts of a closed period. The members are in the order of the text. */
interface PeriodFacts {
  period: number;
  /** Empty: from the beginning. */
  firstDay: string;
  /** Inclusive. */
  lastDay: string;
  closedBy: number;
  note: string;
  postings: number;
  /** Units by code, as decimal texts, because a sum may exceed the safe integers. */
  totals: Record<string, string>;
  /** SHA-256 over the sums of its days, hex. */
  digest: string;
  /** ISO 8601 in milliseconds. */
  sealedAt: string;
  keyId: string;
}

/** The text that is signed for a period: JSON with members in a fixed order, because the signature covers its bytes. */
export function periodText(facts: PeriodFacts): string {
  const { period, firstDay, lastDay, closedBy, note, postings, digest, sealedAt, keyId } = facts;
  const totals = Object.fromEntries(Object.entries(facts.totals).sort(([one], [other]) => (one < other ? -1 : 1)));
  return JSON.stringify({ period, firstDay, lastDay, closedBy, note, postings, totals, digest, sealedAt, keyId });
}

/** The sums by code as JSON texts; the driver would convert JSON numbers to inexact numbers. */
const TOTALS_TEXT = `(select coalesce(json_object_agg("key", "value"), '{}') from jsonb_each_text(s."totals"))::text`;

/** Sealed periods, each with its signature and all public keys; `condition` selects them. */
export const sealedPeriods = (
  condition: string,
): string => `select coalesce(s."period_id", g."period_id") as "period", coalesce(p."since"::text, '') as "firstDay", (p."until" - 1)::text as "lastDay",
    p."actor_id" as "closedBy", p."note", s."postings"::text as "postings", ${TOTALS_TEXT} as "totals", s."digest",
    to_char(s."sealed_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "sealedAt", g."text", g."signature",
    (select json_object_agg("id", "public_key")::text from "seal_key") as "keys", exists (select from "period_signature") as "signs"
  from ("period_seal" s join "closed_period" p on p."id" = s."period_id") full join "period_signature" g on g."period_id" = s."period_id"
  where ${condition}`;

/** A row of `sealedPeriods`; missing parts are null. */
export interface SealedPeriod {
  period: number;
  firstDay: string;
  lastDay: string;
  closedBy: number;
  note: string;
  postings: string;
  totals: string;
  digest: string | null;
  sealedAt: string;
  text: string | null;
  signature: string | null;
  keys: string | null;
  /** Whether any period has a signature. */
  signs: boolean;
}

/** The facts to be signed for this row. */
export const factsOf = (row: SealedPeriod, keyId: string): PeriodFacts => ({
  ...{ period: row.period, firstDay: row.firstDay, lastDay: row.lastDay, closedBy: row.closedBy, note: row.note },
  ...{ postings: Number(row.postings), totals: JSON.parse(row.totals) as Record<string, string> },
  ...{ digest: row.digest ?? '', sealedAt: row.sealedAt, keyId },
});

type SignatureState = 'valid' | 'wrong' | 'none';

/**
 * Periods that were closed before signatures existed have none until the next period is closed, which signs them all.
 */
export function signatureOf(row: SealedPeriod): SignatureState {
  const { text, signature } = row;
  if (text === null || signature === null) return row.signs ? 'wrong' : 'none';
  const keyId = keyIdIn(text);
  const publicKey = (JSON.parse(row.keys ?? '{}') as Record<string, string>)[keyId];
  if (row.digest === null || publicKey === undefined || periodText(factsOf(row, keyId)) !== text) return 'wrong';
  return isSignedBy(publicKey, { text, signature }) ? 'valid' : 'wrong';
}

/** The key id that a signed text names; empty if it cannot be read, since the row may have been altered. */
function keyIdIn(text: string): string {
  try {
    return String((JSON.parse(text) as Partial<PeriodFacts> | null)?.keyId);
  } catch {
    return '';
  }
}

interface PeriodAudit {
  periods: number;
  /**
   * Periods whose signature was not made by this installation, or does not match the stored period, each with its
   * fault.
   */
  faults: { period: number; detail: string }[];
}

/** Verifies every signature. Whether the sums still match the seals is a separate check of the books. */
export async function auditPeriods(query: Query): Promise<PeriodAudit> {
  const rows = await query<SealedPeriod>(`${sealedPeriods('true')} order by 1`);
  const wrong = rows.filter((row) => signatureOf(row) === 'wrong');
  return { periods: rows.length, faults: wrong.map((row) => ({ period: row.period, detail: faultOf(row) })) };
}

/** Describes the fault of a period whose signature is not valid. */
export function faultOf({ digest, signature }: SealedPeriod): string {
  if (digest === null) return 'it has a signature and no seal';
  if (signature === null) return 'it has no signature';
  return 'its signature is not of this installation, or not over this seal';
}
