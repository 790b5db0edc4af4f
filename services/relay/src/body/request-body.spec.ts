import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from './byte-budget.js';
import { parseBody } from './request-body.js';

const MB = 1024 * 1024;
const SIZE = 4 * MB;

const bodyOf = (messages: string): Buffer => Buffer.from(`{"model":"m","messages":${messages}}`);

function inFlightFor(bytes: Buffer): number {
  const budget = new ByteBudget({ process: 32 * MB, user: 32 * MB, address: 32 * MB });
  parseBody(bytes, 'chat', budget.claim(1, '192.0.2.1'));
  return budget.inFlight;
}

describe('parseBody', () => {
  it('counts a long text by its bytes only, because it goes upstream as one copy', () => {
    expect(inFlightFor(bodyOf(`[{"role":"user","content":"${'x'.repeat(SIZE)}"}]`))).toBeLessThan(SIZE + MB);
  });

  it('refuses a body of very many values, each of which takes more memory than its bytes', () => {
    const crumbs = bodyOf(`[${'{},'.repeat(900_000)}{}]`);
    expect(() => inFlightFor(crumbs)).toThrow(expect.objectContaining({ status: 503 }));
  });
});
