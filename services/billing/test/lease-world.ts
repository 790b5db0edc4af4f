import { acquireLeases, adjustQuota, openAccount } from '@tollgate/contracts';
import { BookingService } from '../src/booking/booking.service.js';
import { type BillingTestBed, type consumed, startBilling } from './test-bed.js';

const NONE = { granted: 0, returned: 0 };

/** A billing service, and for each test a user of its own whose quota is lent. */
export class LeaseWorld {
  testBed!: BillingTestBed;
  userId = 100;

  async open(): Promise<void> {
    this.testBed = await startBilling();
  }

  async close(): Promise<void> {
    await this.testBed?.close();
  }

  nextUser(): void {
    this.userId += 1;
  }

  async fund(quota: number): Promise<void> {
    const { testBed, userId } = this;
    await testBed.call(openAccount, { userId, kind: 'register', inviterId: 0 });
    await testBed.call(adjustQuota, { userId, quota, actorId: 1, commandId: `fund-${userId}-${Math.random()}` });
  }

  async addToken(credit: number, unlimited = false): Promise<number> {
    const [row] = await this.testBed.sql<{ id: number }>(
      `insert into "token" ("user_id", "name", "key_hash", "key_sealed", "key_hint", "created_time", "credit", "unlimited_quota")
       values (?, 't', ?, '', '', 0, ?, ?) returning "id"`,
      [this.userId, `hash-${Math.random()}`, credit, unlimited],
    );
    return row?.id ?? 0;
  }

  async acquire(epoch: string, need: number, { tokenId = 0, wallet = NONE, token = NONE } = {}) {
    const { userId } = this;
    const reply = await this.testBed.call(acquireLeases, {
      replicaEpoch: epoch,
      requests: [{ userId, tokenId, walletNeed: need, tokenNeed: tokenId > 0 ? need : 0, wallet, token }],
    });
    return { ...reply.results[0], alive: reply.alive };
  }

  async wallet() {
    const [row] = await this.testBed.sql<Record<'credit' | 'spent' | 'held', string>>(
      `select "credit", "spent", "held" from "account" where "user_id" = ?`,
      [this.userId],
    );
    return { credit: Number(row?.credit), spent: Number(row?.spent), held: Number(row?.held) };
  }

  faults() {
    return this.testBed.sql(`select * from "held_faults"()`);
  }

  book(events: ReturnType<typeof consumed>[]) {
    return this.testBed.inContext(() => this.testBed.get(BookingService).book(events));
  }
}
