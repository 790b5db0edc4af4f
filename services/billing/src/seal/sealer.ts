import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, Lifecycle, Logger, Metrics, periodically } from '@tollgate/chassis';
import { asLeader, bound, Leader, plainColumn, textColumn } from '@tollgate/database';
import type { Gauge } from 'prom-client';
import { units } from '../units.js';
import { chainOf, FIRST, linkHash, rowText, sealHash, sealText, TEXT_VERSION } from './chain-text.js';
import { CHAINS, ROW_COLUMNS, type StoredRow, toChainedRow } from './chain-rows.js';
import { SealFile } from './seal-file.js';
import type { SigningKey } from './signing-key.js';
import { CHAINS_LOCK, SigningKeys } from './signing-keys.js';

const CHAIN_EVERY_MS = 5_000;
const SEAL_EVERY_MS = 60_000;
const BATCH = 2_000;
/** Most moments kept in memory, for a transaction that runs for a day. */
const MOMENTS = 10_000;
/** Batches in one round, so that a stop and the next seal need not wait for a whole backlog. */
const BATCHES_OF_A_ROUND = 25;

/**
 * Moves the mark to the oldest running transaction if no posting lies between the two, and returns whether it did.
 * Postings there that are already chained prevent it too; then `chainSome` examines them. Also returns the first
 * transaction id that has not begun.
 */
const MOVE_OVER_NOTHING = `with "now" as materialized (
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "horizon", pg_snapshot_xmax(pg_current_snapshot())::text::bigint as "next"
  ), "moved" as (
    update "seal_progress" s set "tx" = "now"."horizon" from "now"
    where s."id" = 1 and s."old_id" is null and s."tx" <= "now"."horizon"
      and not exists (select from "posting" p where p."tx" >= s."tx" and p."tx" < "now"."horizon")
    returning 1
  ) select "next", exists (select from "moved") as "isMoved" from "now"`;

const insertLinks = {
  name: 'insert-journal-link',
  text: `insert into "journal_link" ("chain", "position", "posting_id", "hash", "version")
    select e."chain", e."position", e."posting_id", decode(e."hash", 'hex'), ${TEXT_VERSION}
    from unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[]) as e("chain", "position", "posting_id", "hash")`,
};

interface Progress {
  tx: number;
  old_id: string | null;
}
interface Moment {
  at: number;
  next: number;
}
interface Head {
  position: number;
  hash: string;
}

/**
 * Chains committed postings, and signs the heads of the chains once a minute, separately from booking. A posting may be
 * chained at any time after its commit; its position is the order of chaining. None is skipped, because the mark
 * advances only up to the oldest running transaction: everything that earlier transactions wrote is visible by then.
 */
@Injectable()
export class Sealer {
  private readonly sealedUpTo: Gauge;
  /** Points in time with the first transaction id that had not begun at that time, oldest first. */
  private moments: Moment[] = [];

  constructor(
    private readonly em: EntityManager,
    private readonly keys: SigningKeys,
    private readonly file: SealFile,
    private readonly clock: Clock,
    logger: Logger,
    leader: Leader,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    this.sealedUpTo = metrics.led(
      'tollgate_billing_journal_sealed_timestamp_seconds',
      'Every posting that was committed before then is under a signed head, Unix time, by the process that seals.',
      leader,
    );
    periodically(
      { lifecycle, logger },
      'chaining of the journal',
      CHAIN_EVERY_MS,
      asLeader(leader, em, () => this.chainAll()),
    );
    periodically(
      { lifecycle, logger },
      'sealing of the journal',
      SEAL_EVERY_MS,
      asLeader(leader, em, () => this.seal()),
    );
  }

  /** Chains what is committed by now, at most one round. False while more is left. */
  async chainAll(): Promise<boolean> {
    const at = this.clock.now();
    const [found] = await this.em.execute<{ next: unknown; isMoved: boolean }[]>(MOVE_OVER_NOTHING);
    this.noteMoment({ at, next: units(found?.next) });
    if (found?.isMoved) return true;
    for (let batch = 0; batch < BATCHES_OF_A_ROUND; batch += 1)
      if (await this.em.transactional(() => this.chainSome())) return true;
    return false;
  }

  /**
   * Chains what is committed, then signs every head that has moved since its last seal. Returns the number of new
   * seals.
   */
  async seal(): Promise<number> {
    const now = new Date();
    await this.chainAll();
    const { texts, done } = await this.em.transactional(async () => {
      const lines = await this.sealHeads(now);
      return { texts: lines, done: await this.chainedBelow() };
    });
    await this.file.publish(texts);
    this.reportSealed(done);
    return texts.length;
  }

  private noteMoment(moment: Moment): void {
    this.moments.push(moment);
    if (this.moments.length > MOMENTS) this.moments.splice(1, 1);
  }

  /**
   * All postings of transactions below this id are chained; 0 while postings from before chains existed, or from
   * another server, are not.
   */
  private async chainedBelow(): Promise<number> {
    const [progress] = await this.em.execute<{ below: unknown }[]>(
      `select case when "old_id" is null and "tx" <= pg_snapshot_xmax(pg_current_snapshot())::text::bigint then "tx" else 0 end as "below"
       from "seal_progress" where "id" = 1`,
    );
    return units(progress?.below);
  }

  /**
   * Sets the metric to the last moment before which all transactions have ended and are chained. A long transaction
   * delays this: postings that commit after it began get no position until it ends.
   */
  private reportSealed(below: number): void {
    const sealed = this.moments.findLastIndex(({ next }) => next <= below);
    const moment = this.moments[sealed];
    if (!moment) return;
    this.moments = this.moments.slice(sealed);
    this.sealedUpTo.set(moment.at / 1000);
  }

  /** Chains one batch. True when nothing was left. */
  private async chainSome(): Promise<boolean> {
    const [progress] = await this.em.execute<Progress[]>(CHAINS_LOCK);
    if (!progress) throw new Error('the table seal_progress has lost its row');
    if (progress.old_id !== null) return this.chainOld(progress.old_id);
    const [now] = await this.em.execute<{ horizon: unknown }[]>(
      `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "horizon"`,
    );
    const horizon = units(now?.horizon);
    // Transaction ids of another server: the database was moved, so any posting may be unchained.
    const isMoved = units(progress.tx) > horizon;
    const rows = await this.em.execute<StoredRow[]>(
      `select ${ROW_COLUMNS} from "posting" p where ${isMoved ? 'true' : '"tx" >= ? and "tx" < ?'}
         and not exists (select from "journal_link" l where l."posting_id" = p."id")
       order by p."tx", p."id" limit ${BATCH}`,
      isMoved ? [] : [progress.tx, horizon],
    );
    await this.link(rows);
    const isDone = rows.length < BATCH;
    const mark = isDone ? horizon : isMoved ? progress.tx : (rows.at(-1)?.tx ?? horizon);
    await this.em.execute(`update "seal_progress" set "tx" = ? where "id" = 1`, [mark], 'run');
    return isDone;
  }

  /** Chains postings without a transaction id, by id; no more of these can be added. */
  private async chainOld(after: string): Promise<boolean> {
    const rows = await this.em.execute<StoredRow[]>(
      `select ${ROW_COLUMNS} from "posting" p where "tx" is null and "id" > ?
         and not exists (select from "journal_link" l where l."posting_id" = p."id") order by "id" limit ${BATCH}`,
      [after],
    );
    await this.link(rows);
    const next = rows.length < BATCH ? null : (rows.at(-1)?.id ?? null);
    await this.em.execute(`update "seal_progress" set "old_id" = ? where "id" = 1`, [next], 'run');
    return false;
  }

  private async link(rows: readonly StoredRow[]): Promise<void> {
    const heads = new Map<string, Head>();
    const links: { chain: string; position: number; posting_id: string; hash: string }[] = [];
    for (const row of rows) {
      const chain = chainOf(row.id);
      const head = heads.get(chain) ?? (await this.headOf(chain));
      const position = head.position + 1;
      const hash = linkHash(head.hash, rowText(toChainedRow(row, { chain, position, version: TEXT_VERSION })));
      heads.set(chain, { position, hash });
      links.push({ chain, position, posting_id: row.id, hash });
    }
    if (links.length === 0) return;
    await bound(this.em, insertLinks, [
      textColumn(links.map(({ chain }) => chain)),
      plainColumn(links.map(({ position }) => position)),
      plainColumn(links.map(({ posting_id }) => posting_id)),
      plainColumn(links.map(({ hash }) => hash)),
    ]);
  }

  private async headOf(chain: string): Promise<Head> {
    const [row] = await this.em.execute<{ position: unknown; hash: string }[]>(
      `select "position", encode("hash", 'hex') as "hash" from "journal_link" where "chain" = ? order by "position" desc limit 1`,
      [chain],
    );
    return row ? { position: units(row.position), hash: row.hash } : { position: 0, hash: FIRST };
  }

  private async sealHeads(now: Date): Promise<string[]> {
    await this.em.execute(CHAINS_LOCK);
    const key = await this.keys.newest();
    const due = await this.em.execute<
      { chain: string; number: unknown; text: string | null; signature: string | null }[]
    >(
      `select c."chain", coalesce(s."number", 0) as "number", s."text", s."signature"
       from (${CHAINS}) c
       left join lateral (select * from "journal_seal" s where s."chain" = c."chain" order by "number" desc limit 1) s on true
       where (select max("position") from "journal_link" l where l."chain" = c."chain") > coalesce(s."position", 0) order by 1`,
    );
    const lines: string[] = [];
    for (const { chain, number, text, signature } of due) {
      const { position, hash } = await this.headOf(chain);
      const previous = text === null || signature === null ? '' : sealHash(text, signature);
      const facts = {
        chain,
        number: units(number) + 1,
        position,
        hash,
        sealedAt: now.toISOString(),
        keyId: key.id,
        previous,
      };
      lines.push(await this.store(facts.number, position, sealText(facts), key));
    }
    return lines;
  }

  private async store(number: number, position: number, text: string, key: SigningKey): Promise<string> {
    const { chain, sealedAt } = JSON.parse(text) as { chain: string; sealedAt: string };
    const signature = key.sign(text);
    await this.em.execute(
      `insert into "journal_seal" ("chain", "number", "position", "text", "signature", "sealed_at") values (?, ?, ?, ?, ?, ?)`,
      [chain, number, position, text, signature, sealedAt],
      'run',
    );
    return JSON.stringify({ text, signature });
  }
}
