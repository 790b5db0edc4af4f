import { describe, expect, it } from '@jest/globals';
import { withRawAnswer } from './raw-answer.js';

const shown = (body: string | Buffer): string => withRawAnswer('no', Buffer.from(body), ['sesame-open']);

describe('withRawAnswer', () => {
  it('shows the answer on one line', () => {
    expect(shown('<html>\r\n  <h1>502</h1>\n</html>\n')).toBe('no: <html> <h1>502</h1> </html>');
    expect(shown(Buffer.from([0x61, 0, 7, 0x1b, 0x62]))).toBe('no: a b');
  });

  it('masks what belongs to the account, also across the limit', () => {
    expect(shown('at https://relay.example.com/v1 with sesame-open')).toBe('no: at https://*** with ***');
    expect(shown(`${'x '.repeat(247)}sesame-open`)).not.toContain('sesame');
  });

  it('shows the beginning of a long answer, and nothing of an empty one', () => {
    expect(shown('好'.repeat(501))).toBe(`no: ${'好'.repeat(500)}…`);
    expect(shown(' \n')).toBe('no');
  });
});
