import { describe, expect, it } from '@jest/globals';
import { newTotpSecret, otpauthUrl, totpStep } from './totp.js';

/** Secret and times of RFC 6238, appendix B, with the last six digits of its SHA-1 codes. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('one-time codes', () => {
  it.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [1_234_567_890, '005924', 41_152_263],
    [20_000_000_000, '353130', 666_666_666],
  ])('at second %i, the code %s is valid and belongs to step %i', (second, code, step) => {
    expect(totpStep(SECRET, code, second * 1000)).toBe(step);
    expect(totpStep(SECRET, `${code.slice(0, 3)} ${code.slice(3)}`, second * 1000)).toBe(step);
  });

  it('are accepted one step early or late and report that step, but not two steps away', () => {
    const at = (seconds: number) => totpStep(SECRET, '287082', seconds * 1000);
    expect([29, 30, 59, 60, 89, 90].map((second) => at(second))).toEqual([1, 1, 1, 1, 1, undefined]);
    expect(totpStep(SECRET, '081804', (1_111_111_109 - 90) * 1000)).toBeUndefined();
  });

  it.each(['', '287081', '2870820', '28708', 'abcdef', '２８７０８２'])('do not accept %j', (code) => {
    expect(totpStep(SECRET, code, 59_000)).toBeUndefined();
  });

  it('have a secret of 160 bits and an otpauth address that names the issuer', () => {
    const secret = newTotpSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const url = new URL(otpauthUrl(secret, 'Gate: one', 'ann'));
    expect(decodeURIComponent(url.pathname)).toContain('ann');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      secret,
      issuer: 'Gate  one',
      digits: '6',
      period: '30',
    });
  });
});
