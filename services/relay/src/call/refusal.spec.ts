import { describe, expect, it } from '@jest/globals';
import { Refusal } from './refusal.js';

describe('Refusal', () => {
  it('repeats only the beginning of what the client sent', () => {
    const { error, message } = new Refusal(503, `模型 ${'😀'.repeat(1_000_000)} 无可用渠道`, 'no_available_channel');
    expect(error.message).toBe(message);
    expect(message).toMatch(/^模型 😀+$/u);
    expect(message.length).toBeLessThanOrEqual(1000);
  });
});
