import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { auditChains, type ChainAudit } from '../src/seal/chain-audit.js';
import type { Query } from '../src/seal/chain-rows.js';
import { Sealer } from '../src/seal/sealer.js';
import { type BillingTestBed, startBilling } from './test-bed.js';

/** A billing service whose journal is sealed, and a connection that books and damages postings behind its back. */
export class SealWorld {
  billing!: BillingTestBed;
  client!: Client;

  readonly query: Query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await this.client.query<Row>(text, values)).rows;

  async open(): Promise<void> {
    this.billing = await startBilling();
    this.client = await this.connect();
  }

  async close(): Promise<void> {
    await this.client?.end();
    await this.billing?.close();
  }

  async connect(): Promise<Client> {
    const other = new Client({ connectionString: this.billing.harness.host.env.DATABASE_URL });
    await other.connect();
    await other.query('set search_path = billing');
    return other;
  }

  seal(): Promise<number> {
    return this.billing.inContext(() => this.billing.get(Sealer).seal());
  }

  chain(): Promise<boolean> {
    return this.billing.inContext(() => this.billing.get(Sealer).chainAll());
  }

  audit(): Promise<ChainAudit> {
    return auditChains(this.query);
  }

  /**
   * Repeats until every posting is sealed: a transaction elsewhere in the service delays the newest ones to the next
   * round.
   */
  async sealAll(): Promise<void> {
    do await this.seal();
    while ((await this.audit()).unsealed > 0);
  }

  /** Each connection books for a user of its own, because bookings of the same wallet wait for each other. */
  post(on: Client, amount: number, id = uuidv7()): Promise<unknown> {
    return on.query(
      `insert into posting (id, code, debit, credit, amount, user_id, reference, reason) values ($1, 'consumption', 'wallet:' || $4::int, 'revenue', $2, $4::int, $3, 'completed\u2028so')`,
      [id, amount, id, on === this.client ? 1 : 2],
    );
  }

  /** The id of the posting at this place of all chains, counted round and round. */
  async idOf(nth: number, leastVersion = 1): Promise<string> {
    const rows = await this.query<{ id: string }>(
      'select posting_id as id from journal_link where version >= $1 order by chain, position',
      [leastVersion],
    );
    return rows[nth % rows.length]?.id ?? '';
  }
}
