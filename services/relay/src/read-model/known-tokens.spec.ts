import { describe, expect, it } from '@jest/globals';
import type { TokenRecord } from '@tollgate/contracts';
import { KnownTokens } from './known-tokens.js';

const token = (id: number, userId: number): TokenRecord => ({ id, userId }) as TokenRecord;

function tokens(max = 10): KnownTokens {
  const known = new KnownTokens(max);
  known.set('a', token(1, 7));
  known.set('b', token(2, 7));
  known.set('c', token(3, 8));
  return known;
}
const left = (known: KnownTokens): string[] => ['a', 'b', 'c'].filter((hash) => known.get(hash) !== undefined);

describe('KnownTokens', () => {
  it('forgets all tokens of a user and no others', () => {
    const known = tokens();
    known.deleteOfUser(7);
    expect(left(known)).toEqual(['c']);
    known.deleteOfUser(9);
    expect(left(known)).toEqual(['c']);
  });

  it('forgets a token by its id, also one that was set again', () => {
    const known = tokens();
    known.set('b', token(2, 7));
    known.deleteById(2);
    expect(left(known)).toEqual(['a', 'c']);
    known.deleteOfUser(7);
    expect(left(known)).toEqual(['c']);
  });

  it('keeps no trace of an evicted token', () => {
    const known = tokens(2);
    expect(left(known)).toEqual(['b', 'c']);
    known.set('a', token(4, 8));
    known.deleteOfUser(7);
    known.deleteById(1);
    expect(left(known)).toEqual(['a', 'c']);
  });
});
