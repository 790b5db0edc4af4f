import { describe, expect, it } from '@jest/globals';
import { topUpStatuses } from '@tollgate/contracts/api/top-up';
import type { Notice } from '../payment/payment-gateway.js';
import { isAccepted, judge, nextStatus, ofOwner } from './judge.js';

const order = { provider: 'epay', merchant: '1001', status: 'pending', money: '7.30', currency: 'CNY' } as const;
const notice = { tradeNo: 'T1', merchant: '1001', money: '7.30', currency: 'CNY', isPaid: true };
const verdictOf = (change: Partial<Notice>, known: Parameters<typeof judge>[2] = order) =>
  judge({ kind: 'notice', notice: { ...notice, ...change } }, 'epay', known);

describe('judge', () => {
  it.each([
    [{}, order, 'credited'],
    [{ money: '7.3' }, order, 'credited'],
    [{ money: '0.01' }, order, 'amount-mismatch'],
    [{ money: '73.0' }, order, 'amount-mismatch'],
    [{ currency: 'USD' }, order, 'amount-mismatch'],
    [{ merchant: '1002' }, order, 'wrong-merchant'],
    [{ isPaid: false }, order, 'not-paid'],
    [{}, { ...order, provider: 'stripe' }, 'wrong-provider'],
    [{}, { ...order, status: 'expired' } as const, 'late'],
    [{}, { ...order, status: 'refused' } as const, 'credited'],
    [{}, { ...order, status: 'paid' } as const, 'repeated'],
    [{}, { ...order, status: 'refunded' } as const, 'repeated'],
    [{ money: '0.01' }, { ...order, status: 'paid' } as const, 'amount-mismatch'],
    [{}, undefined, 'unknown-order'],
  ])('judges %j about %j as %s', (change, known, verdict) => {
    expect(judge({ kind: 'notice', notice: { ...notice, ...change } }, 'epay', known)).toBe(verdict);
  });

  it('trusts nothing that is not signed, whatever it contains', () => {
    const reading = { kind: 'refused', verdict: 'bad-signature', tradeNo: 'T1' } as const;
    expect(judge(reading, 'epay', order)).toBe('bad-signature');
    for (const status of topUpStatuses) expect(nextStatus(status, 'bad-signature')).toBe(status);
  });

  it('never reverses a payment by a callback, and never credits a paid or refunded order', () => {
    expect(nextStatus('paid', verdictOf({ money: '1' }))).toBe('paid');
    expect(nextStatus('refunded', verdictOf({}, { ...order, status: 'refunded' }))).toBe('refunded');
    expect(nextStatus('pending', verdictOf({ money: '1' }))).toBe('refused');
  });

  it('marks money for a deleted user, and nothing else', () => {
    expect(ofOwner('credited', false)).toBe('credited');
    expect([ofOwner('credited', true), ofOwner('late', true)]).toEqual(['owner-gone', 'owner-gone']);
    expect([ofOwner('repeated', true), ofOwner('bad-signature', true)]).toEqual(['repeated', 'bad-signature']);
    expect(nextStatus('expired', 'owner-gone')).toBe('paid');
    expect(isAccepted('owner-gone')).toBe(true);
  });

  it('lets the provider repeat what was not accepted', () => {
    expect(
      ['credited', 'late', 'repeated', 'not-paid', 'amount-mismatch', 'unknown-order'].map((verdict) =>
        isAccepted(verdict as 'late'),
      ),
    ).toEqual([true, true, true, false, false, false]);
  });
});
