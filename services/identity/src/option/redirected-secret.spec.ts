import { describe, expect, it } from '@jest/globals';
import { defaultOptions, type OptionKey } from '@tollgate/contracts';
import { assertMayRedirect } from './redirected-secret.js';

const [owner, other] = [7, 8];
const texts = { ...defaultOptions, SMTPServer: 'mail.example', SMTPToken: 'secret', WorkerUrl: 'https://w.example' };
const change = (key: OptionKey, value: string, stored = texts) => ({
  key,
  value,
  texts: stored,
  enteredBy: (asked: OptionKey) => (asked === 'SMTPToken' ? owner : undefined),
});
const by = (userId: number, role = 10) => ({ userId, role });

describe('assertMayRedirect', () => {
  it.each([
    ['SMTPServer', 'evil.example'],
    ['SMTPServer', ''],
    ['SMTPPort', '26'],
    ['SMTPSSLEnabled', 'true'],
  ] as const)('keeps %s for whoever entered the secret, and for super administrators', (key, value) => {
    expect(() => assertMayRedirect(change(key, value), by(other))).toThrow(
      expect.objectContaining({ code: 'option-secret-needed', details: { params: { secret: 'SMTPToken' } } }),
    );
    expect(() => assertMayRedirect(change(key, value), by(owner))).not.toThrow();
    expect(() => assertMayRedirect(change(key, value), by(other, 100))).not.toThrow();
  });

  it('allows changes of other options, the same value again, and an address without a stored secret', () => {
    expect(() => assertMayRedirect(change('SMTPFrom', 'a@b.example'), by(other))).not.toThrow();
    expect(() => assertMayRedirect(change('SMTPServer', 'mail.example'), by(other))).not.toThrow();
    expect(() => assertMayRedirect(change('WorkerUrl', 'https://x.example'), by(other))).not.toThrow();
    const empty = { ...texts, SMTPToken: '' };
    expect(() => assertMayRedirect(change('SMTPServer', 'new.example', empty), by(other))).not.toThrow();
  });
});
