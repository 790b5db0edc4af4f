import { describe, expect, it } from '@jest/globals';
import type { OptionStore, OutboundClient, OutboundRequest } from '@tollgate/chassis';
import { Turnstile } from './turnstile.js';

function turnstileThatAnswers(answer: string, enabled = true) {
  const sent: OutboundRequest[] = [];
  const values: Record<string, unknown> = { TurnstileCheckEnabled: enabled, TurnstileSecretKey: 'shared' };
  const options = { get: (key: string) => values[key] } as unknown as OptionStore;
  const outbound = {
    send: (request: OutboundRequest) => {
      sent.push(request);
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.from(answer) });
    },
  } as unknown as OutboundClient;
  return { turnstile: new Turnstile(options, outbound), sent };
}

describe('the bot check', () => {
  it('calls no verification service while it is disabled', async () => {
    const { turnstile, sent } = turnstileThatAnswers('', false);
    await turnstile.check('', '192.0.2.1');
    expect(sent).toEqual([]);
  });

  it('demands a result and sends it with the secret and the address', async () => {
    const { turnstile, sent } = turnstileThatAnswers('{"success":true}');
    await expect(turnstile.check('', '192.0.2.1')).rejects.toThrow('Turnstile token 为空');
    await turnstile.check('result', '192.0.2.1');
    expect(sent).toHaveLength(1);
    expect(sent[0]?.body).toBe('secret=shared&response=result&remoteip=192.0.2.1');
  });

  it.each(['{"success":false}', '{}', 'no json'])('refuses when the answer is %s', async (answer) => {
    const { turnstile } = turnstileThatAnswers(answer);
    await expect(turnstile.check('result', '192.0.2.1')).rejects.toThrow('Turnstile 校验失败，请刷新重试！');
  });
});
