import { describe, expect, it } from '@jest/globals';
import { likePattern, startPattern } from './like.js';

describe('likePattern', () => {
  it('takes wildcards and the escape itself as ordinary characters', () => {
    expect(likePattern('50%_a\\b')).toBe('%50\\%\\_a\\\\b%');
  });

  it('treats a prefix just as literally', () => {
    expect(startPattern('a_%')).toBe('a\\_\\%%');
  });
});
