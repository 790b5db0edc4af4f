import { describe, expect, it } from '@jest/globals';
import type { AppliedPrice, Usage } from '@tollgate/contracts';
import type { BilledCall } from '../call/relay-call.js';
import type { Settlement } from '../pipeline/settlement.js';
import { SessionBill } from './session-bill.js';

const price: AppliedPrice = {
  modelRatio: 1,
  completionRatio: 1,
  groupRatio: 1,
  cacheRatio: 1,
  cacheCreationRatio: 1,
  modelPrice: -1,
  quotaPerUnit: 500_000,
};
const frame = (event: object): Buffer => Buffer.from(JSON.stringify(event));
const words = (id: string, delta: string): Buffer => frame({ type: 'response.text.delta', response_id: id, delta });
const begun = (id: string): Buffer => frame({ type: 'response.created', response: { id } });
const done = (id: string, usage?: object): Buffer =>
  frame({ type: 'response.done', response: { id, ...(usage && { usage }) } });

/** A bill with 1000 units to spend, and one token a character, counted when `release` is called. */
function session({ most = 1000, isSlow = false } = {}) {
  const counting = Promise.withResolvers<void>();
  if (!isSlow) counting.resolve();
  const booked: { usage: Usage; usageSource: string }[] = [];
  const hold = {
    amount: 0,
    grow(amount: number) {
      if (amount > most) return false;
      hold.amount = amount;
      return true;
    },
  };
  const settlement = {
    elapsed: () => 0,
    open: () => Promise.resolve(),
    progress: () => Promise.resolve(),
    closeDelivered: (...[, , , ending]: Parameters<Settlement['closeDelivered']>) =>
      Promise.resolve(void booked.push(ending)),
  };
  const bill = new SessionBill({
    call: { model: 'm', user: { id: 1 } } as BilledCall,
    charged: { terms: { price }, hold } as never,
    route: { attempts: [], channelId: 1 },
    settlement: settlement as never,
    tokens: { count: (text) => counting.promise.then(() => text.length) },
    leastAnswer: 1,
  });
  return { bill, booked, hold, release: () => counting.resolve() };
}

describe('SessionBill', () => {
  it('charges an answer once whose client leaves while it is counted', async () => {
    const { bill, booked, release } = session({ isSlow: true });
    await bill.heard(begun('a'));
    await bill.heard(words('a', 'seven77'));
    const counted = bill.heard(done('a'));
    const closed = bill.close('client_abort');
    release();
    await Promise.all([counted, closed]);
    expect(booked).toMatchObject([{ usage: { outputTokens: 7 }, usageSource: 'estimated' }]);
  });

  it('charges an answer that was cut for its own words only', async () => {
    const { bill, booked } = session();
    for (const id of ['a', 'b']) await bill.heard(begun(id));
    await bill.heard(words('a', 'x'.repeat(50)));
    await bill.heard(words('b', 'seven77'));
    await bill.heard(done('a', { input_tokens: 10, output_tokens: 20 }));
    await bill.close('client_abort');
    expect(booked).toMatchObject([{ usage: { inputTokens: 10, outputTokens: 27 } }]);
  });
});
