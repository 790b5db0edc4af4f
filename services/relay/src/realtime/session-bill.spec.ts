import { describe, expect, it } from '@jest/globals';
import type { AppliedPrice, Usage } from '@tollgate/contracts';
import type { BilledCall } from '../call/relay-call.js';
import type { Settlement } from '../settlement/settlement.js';
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

/** A bill with 1000 units to spend, where each character is one token. Counting waits for `release`. */
function session({ most = 1000, isSlow = false, open = () => Promise.resolve() } = {}) {
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
    open,
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
  it('charges an answer once when its client leaves while it is counted', async () => {
    const { bill, booked, release } = session({ isSlow: true });
    await bill.received(begun('a'));
    await bill.received(words('a', 'seven77'));
    const counted = bill.received(done('a'));
    const closed = bill.close('client_abort');
    release();
    await Promise.all([counted, closed]);
    expect(booked).toMatchObject([{ usage: { outputTokens: 7 }, usageSource: 'estimated' }]);
  });

  it('records an answer although the disk refused an earlier record', async () => {
    let openings = 0;
    const open = (): Promise<void> => ((openings += 1) === 1 ? Promise.reject(new Error('ENOSPC')) : Promise.resolve());
    const { bill } = session({ open });
    await bill.received(begun('a'));
    await bill.received(words('a', 'seven77'));
    await expect(bill.noteProgress()).rejects.toThrow('ENOSPC');
    expect(await bill.received(done('a', { input_tokens: 10, output_tokens: 20 }))).toBe(true);
    await bill.noteProgress();
    expect(openings).toBe(2);
  });

  it('charges an answer that was cut for its own output only', async () => {
    const { bill, booked } = session();
    for (const id of ['a', 'b']) await bill.received(begun(id));
    await bill.received(words('a', 'x'.repeat(50)));
    await bill.received(words('b', 'seven77'));
    await bill.received(done('a', { input_tokens: 10, output_tokens: 20 }));
    await bill.close('client_abort');
    expect(booked).toMatchObject([{ usage: { inputTokens: 10, outputTokens: 27 } }]);
  });

  const transcribing = frame({
    type: 'session.update',
    session: { input_audio_format: 'pcm16', input_audio_transcription: { model: 'w' }, turn_detection: null },
  });
  const sound = (seconds: number): Buffer =>
    frame({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000 * seconds).toString('base64') });
  const committed = (item_id: string): Buffer => frame({ type: 'input_audio_buffer.committed', item_id });
  const transcribed = (item_id: string, usage?: object): Buffer =>
    frame({ type: 'conversation.item.input_audio_transcription.completed', item_id, ...(usage && { usage }) });
  const tokens = {
    ...{ type: 'tokens', total_tokens: 110, input_tokens: 100, output_tokens: 10 },
    input_token_details: { text_tokens: 20, audio_tokens: 80 },
  };

  it('charges transcripts of a session without answers by what is stated of each', async () => {
    const { bill, booked } = session();
    await bill.sent(transcribing);
    await bill.sent(sound(6));
    await bill.received(committed('i'));
    await bill.received(transcribed('i', tokens));
    await bill.received(transcribed('j', { type: 'duration', seconds: 900 }));
    await bill.close('completed');
    // No more seconds are charged than were sent: 6/60 × 100/0.06 = 167.
    const usage = { inputTokens: 20, audioInputTokens: 80 + 167, outputTokens: 10 };
    expect(booked).toMatchObject([{ usage, usageSource: 'upstream' }]);
  });

  it('counts transcribed sound itself where no usage is stated, but no silence', async () => {
    const { bill, booked } = session();
    await bill.sent(transcribing);
    await bill.sent(sound(12));
    await bill.received(frame({ type: 'input_audio_buffer.speech_started', audio_start_ms: 4000 }));
    await bill.received(frame({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: 10_000 }));
    await bill.received(committed('i'));
    await bill.received(transcribed('i'));
    await bill.sent(sound(12));
    await bill.close('completed');
    expect(booked).toMatchObject([{ usage: { audioInputTokens: 167 }, usageSource: 'estimated' }]);
  });

  it('charges sound once that an answer has heard, and none that was not transcribed', async () => {
    const { bill, booked } = session();
    await bill.sent(transcribing);
    await bill.sent(sound(6));
    await bill.received(committed('i'));
    await bill.received(begun('a'));
    const input_token_details = { audio_tokens: 60 };
    await bill.received(done('a', { input_tokens: 60, output_tokens: 1, input_token_details }));
    await bill.close('completed');
    expect(booked).toMatchObject([{ usage: { audioInputTokens: 60 }, usageSource: 'upstream' }]);
    const silent = session();
    await silent.bill.sent(sound(6));
    await silent.bill.received(committed('i'));
    await silent.bill.close('completed');
    expect(silent.booked[0]?.usage).not.toHaveProperty('audioInputTokens');
  });

  it('allows no more answers at once than the hold can grow to', async () => {
    const { bill, hold } = session();
    const asked = frame({ type: 'response.create', response: { conversation: 'none' } });
    await bill.received(begun('a'));
    await bill.received(words('a', 'seven77'));
    await bill.received(done('a', { input_tokens: 300, output_tokens: 20 }));
    // 320 are spent, and each answer reads 320 again.
    expect(await bill.sent(asked)).toBe(true);
    expect(await bill.sent(asked)).toBe(true);
    expect(hold.amount).toBeGreaterThanOrEqual(320 + 2 * 321);
    expect(await bill.sent(asked)).toBe(false);
  });

  it('requires nothing more for an answer that has begun, ended or was refused', async () => {
    const { bill } = session();
    const asked = frame({ type: 'response.create' });
    await bill.received(done('a', { input_tokens: 300, output_tokens: 20 }));
    for (const id of ['b', 'c']) {
      expect(await bill.sent(asked)).toBe(true);
      expect(await bill.received(begun(id))).toBe(true);
      await bill.received(done(id, { input_tokens: 20, output_tokens: 1 }));
    }
    for (let count = 0; count < 60; count += 1) {
      expect(await bill.sent(asked)).toBe(true);
      expect(
        await bill.received(frame({ type: 'error', error: { code: 'conversation_already_has_active_response' } })),
      ).toBe(true);
    }
  });

  it('reserves what an answer reads again, and charges it when the client leaves in the middle', async () => {
    const { bill, booked } = session();
    await bill.received(begun('a'));
    await bill.received(words('a', 'seven77'));
    await bill.received(done('a', { input_tokens: 300, output_tokens: 20 }));
    expect(await bill.sent(frame({ type: 'response.create' }))).toBe(true);
    expect(await bill.received(begun('b'))).toBe(true);
    // 320 are spent, 320 are read again, and 360 are left for output, of which the estimate counts one token per three
    // bytes.
    expect(await bill.received(words('b', 'x'.repeat(3 * 350)))).toBe(true);
    expect(await bill.received(words('b', 'x'.repeat(3 * 20)))).toBe(false);
    await bill.close('client_abort');
    expect(booked).toMatchObject([{ usage: { inputTokens: 300, cacheReadTokens: 320, outputTokens: 20 + 3 * 370 } }]);
  });

  it('does not take an answer outside the conversation for the input of the next one', async () => {
    const { bill } = session({ most: 745 });
    await bill.received(done('a', { input_tokens: 300, output_tokens: 20 }));
    const said = { content: [{ type: 'input_text', text: 'x'.repeat(3 * 100) }] };
    await bill.sent(frame({ type: 'conversation.item.create', item: said }));
    expect(await bill.sent(frame({ type: 'response.create', response: { conversation: 'none', input: [] } }))).toBe(
      true,
    );
    const aside = { id: 'b', conversation_id: null };
    await bill.received(frame({ type: 'response.created', response: aside }));
    const usage = { input_tokens: 5, output_tokens: 1 };
    expect(await bill.received(frame({ type: 'response.done', response: { ...aside, usage } }))).toBe(true);
    // 326 are spent; the next answer reads 420 and generates at least one.
    expect(await bill.sent(frame({ type: 'response.create' }))).toBe(false);
  });

  it('allows no more transcription than the hold can grow to', async () => {
    const { bill, hold } = session({ most: 400 });
    await bill.sent(transcribing);
    await bill.sent(sound(6));
    expect(await bill.sent(frame({ type: 'input_audio_buffer.commit' }))).toBe(true);
    await bill.received(committed('i'));
    expect(hold.amount).toBeGreaterThanOrEqual(167);
    await bill.sent(sound(12));
    expect(await bill.sent(frame({ type: 'input_audio_buffer.commit' }))).toBe(false);
    expect(await bill.received(committed('j'))).toBe(false);
  });
});
