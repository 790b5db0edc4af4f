import type { EventSubscriber, TransactionEventArgs } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventContract, EventOf, ServiceName } from '@tollgate/contracts';
import { OutboxEvent } from '../orm/outbox-event.entity.js';
import { type OutboxRow, outboxRow } from './outbox-row.js';

/** Rows of one statement. */
const BATCH = 500;

/** Stores a service's events in the transaction of the change they are about. */
export class Outbox {
  private readonly commits: CommitWatch;

  constructor(
    private readonly em: EntityManager,
    private readonly source: ServiceName,
    kick: () => void,
  ) {
    this.commits = new CommitWatch(kick);
    em.getEventManager().registerSubscriber(this.commits);
  }

  /**
   * Call last in a transaction that has locked the aggregate's row: the event is published if and only if the transaction commits. For `id`
   * see `outboxRow`.
   */
  async add<C extends EventContract>(contract: C, data: EventOf<C>['data'], id?: string): Promise<void> {
    await this.insert(contract, [outboxRow(contract, this.source, data, id)]);
  }

  /** As `add`, for events about many rows: it flushes once, because a flush compares every row that was loaded. */
  async addAll<C extends EventContract>(contract: C, all: readonly EventOf<C>['data'][]): Promise<void> {
    if (all.length === 0) return;
    await this.insert(
      contract,
      all.map((data) => outboxRow(contract, this.source, data)),
    );
  }

  private async insert({ name }: EventContract, rows: readonly OutboxRow[]): Promise<void> {
    if (!this.em.isInTransaction()) throw new Error(`outbox: "${name}" added outside a transaction`);
    await this.em.flush(); // so that the outbox rows are the last ones written
    for (let start = 0; start < rows.length; start += BATCH)
      await this.em.insertMany(OutboxEvent, rows.slice(start, start + BATCH));
    this.commits.expect(this.em.getTransactionContext());
  }
}

/** Triggers the pump after a transaction with new events has committed; before that, the pump would find nothing. */
class CommitWatch implements EventSubscriber {
  private readonly expected = new WeakSet<object>();
  /**
   * A savepoint does not reference its transaction, so the next commit of any transaction triggers the pump; if that is too early, its poll
   * follows.
   */
  private insideSavepoint = false;

  constructor(private readonly kick: () => void) {}

  expect(transaction: object | undefined): void {
    if (transaction) this.expected.add(transaction);
  }

  afterTransactionCommit({ transaction }: TransactionEventArgs): void {
    if (!transaction) return;
    const added = this.expected.has(transaction);
    if (transaction.savepointName !== undefined) {
      this.insideSavepoint ||= added;
      return;
    }
    if (!added && !this.insideSavepoint) return;
    this.insideSavepoint = false;
    this.kick();
  }
}
