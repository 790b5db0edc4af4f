import { units } from '../units.js';
import {
  type Query,
  readChains,
  readKeys,
  readLinks,
  readSeals,
  type StoredLink,
  type StoredSeal,
  toChainedRow,
} from './chain-rows.js';
import { FIRST, linkHash, rowText, sealHash, type SealFacts } from './chain-text.js';
import { isSignedBy } from './signature.js';

/** A difference between the journal and its seals. */
interface ChainFault {
  kind: 'removed' | 'altered' | 'inserted' | 'seal';
  chain: string;
  position: number;
  /** The affected posting, if the fault concerns one. */
  postingId?: string;
  detail: string;
}

export interface ChainAudit {
  rows: number;
  seals: number;
  /** Committed postings that no seal covers yet. */
  unsealed: number;
  /** The first faults found. */
  faults: ChainFault[];
  /** Number of further faults. */
  unlisted: number;
}

/** Most faults listed, so that a journal full of faults does not fill the memory. */
const LISTED = 1_000;
const LAST = Number.MAX_SAFE_INTEGER;

/**
 * Computes every hash again from the current rows and verifies every signature. Memory is bounded, except for the seals
 * of one month.
 */
export async function auditChains(query: Query): Promise<ChainAudit> {
  const keys = await readKeys(query);
  const audit: ChainAudit = { rows: 0, seals: 0, unsealed: 0, faults: [], unlisted: 0 };
  for (const chain of await readChains(query)) {
    const seals = await readSeals(query, chain);
    const auditor = new ChainAuditor(chain, seals, audit);
    for await (const links of readLinks(query, { chain, from: 1, to: LAST }))
      for (const link of links) auditor.take(link);
    auditor.finish(keys);
  }
  await findUnchained(query, audit);
  return audit;
}

class ChainAuditor {
  private previous = FIRST;
  private position = 0;
  private readonly hashes = new Map<number, string>();

  constructor(
    private readonly chain: string,
    private readonly seals: readonly StoredSeal[],
    private readonly audit: ChainAudit,
  ) {
    // Only the hashes at sealed positions are needed later.
    for (const { position } of seals) this.hashes.set(position, '');
  }

  take(link: StoredLink): void {
    const position = units(link.position);
    if (position !== this.position + 1)
      this.fault('removed', this.position + 1, {
        detail: `the places ${this.position + 1} to ${position - 1} are gone`,
      });
    this.position = position;
    this.audit.rows += 1;
    const postingId = link.posting_id;
    // The outer join returns nulls where the posting is missing.
    if ((link.id as string | null) === null)
      this.fault('removed', position, { postingId, detail: 'the posting is gone' });
    else if (
      linkHash(this.previous, rowText(toChainedRow(link, { chain: this.chain, position, version: link.version }))) !==
      link.hash
    )
      this.fault('altered', position, {
        postingId,
        detail: 'the posting, its place or what came before it was changed',
      });
    // Continues from the stored hash, so that one fault is reported only once.
    this.previous = link.hash;
    if (this.hashes.has(position)) this.hashes.set(position, link.hash);
  }

  finish(keys: Record<string, string>): void {
    let previous = '';
    let covered = 0;
    for (const [index, seal] of this.seals.entries()) {
      this.audit.seals += 1;
      const detail = this.faultOf(seal, { number: index + 1, previous, keys });
      if (detail !== undefined)
        this.fault('seal', seal.position, {
          detail: `seal ${seal.number} of rows ${covered + 1} to ${seal.position}: ${detail}`,
        });
      previous = sealHash(seal.text, seal.signature);
      covered = seal.position;
    }
    if (covered > this.position)
      this.fault('removed', this.position + 1, {
        detail: `rows up to ${covered} were sealed, and end at ${this.position}`,
      });
    this.audit.unsealed += Math.max(0, this.position - covered);
  }

  private faultOf(
    seal: StoredSeal,
    expected: { number: number; previous: string; keys: Record<string, string> },
  ): string | undefined {
    const facts = factsOf(seal);
    if (!facts) return 'its text is no seal';
    const publicKey = expected.keys[facts.keyId];
    if (facts.number !== expected.number || seal.number !== expected.number)
      return `it should be number ${expected.number}`;
    if (facts.chain !== this.chain || facts.position !== seal.position) return 'its text is of another place';
    if (facts.previous !== expected.previous) return 'the seal before it is another one than it names';
    if (publicKey === undefined || !isSignedBy(publicKey, seal)) return 'its signature is not of this installation';
    const hash = this.hashes.get(seal.position);
    if (hash !== '' && hash !== facts.hash) return 'the rows that it covers are not those that were sealed';
    return undefined;
  }

  private fault(kind: ChainFault['kind'], position: number, more: Pick<ChainFault, 'detail' | 'postingId'>): void {
    list(this.audit, { kind, chain: this.chain, position, ...more });
  }
}

function list(audit: ChainAudit, fault: ChainFault): void {
  if (audit.faults.length < LISTED) audit.faults.push(fault);
  else audit.unlisted += 1;
}

/** The facts that a seal states; `undefined` where its text was overwritten with something else. */
function factsOf({ text }: StoredSeal): SealFacts | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as SealFacts) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Postings without a place in a chain, and whether they were inserted behind the chain's back (`late`). That is so for
 * a posting whose transaction is older than what is chained, or has not begun yet: such a posting would not be chained
 * for years. After the database moved to another server, transaction ids cannot be compared.
 */
const UNCHAINED = `select p."id"::text as "id", x."late", count(*) over () as "total", count(*) filter (where x."late") over () as "strange"
  from "posting" p cross join "seal_progress" s
  cross join lateral (
    select case when p."tx" is null then s."old_id" is null
      else p."tx" < s."tx" or (p."tx" >= n."next" and s."tx" <= n."next") end as "late"
    from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as "next") n
  ) x
  where s."id" = 1 and not exists (select from "journal_link" l where l."posting_id" = p."id") order by x."late" desc, p."id" limit ${LISTED}`;

async function findUnchained(query: Query, audit: ChainAudit): Promise<void> {
  const rows = await query<{ id: string; late: boolean; total: string; strange: string }>(UNCHAINED);
  const [all, strange] = [units(rows[0]?.total ?? 0), units(rows[0]?.strange ?? 0)];
  audit.unsealed += all - strange;
  const detail = 'the posting has no place in the chain of its month';
  const found = rows.filter(({ late }) => late);
  for (const { id } of found) list(audit, { kind: 'inserted', chain: '', position: 0, postingId: id, detail });
  audit.unlisted += strange - found.length;
}
