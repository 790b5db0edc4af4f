import { describe, expect, it } from '@jest/globals';
import { INTERNAL_HEADERS, passHeaders } from './pass-headers.js';

describe('passHeaders', () => {
  it('passes on what belongs to the message', () => {
    const headers = { host: 'tollgate.example', 'content-length': '5', cookie: 'session=x', 'x-custom': 'y' };
    expect(passHeaders(headers)).toEqual(headers);
  });

  it('drops what belongs to the connection, also what the sender declared so', () => {
    expect(
      passHeaders({
        connection: 'keep-alive, X-Private',
        'keep-alive': 'timeout=5',
        'transfer-encoding': 'chunked',
        te: 'trailers',
        upgrade: 'h2c',
        expect: '100-continue',
        'x-private': '1',
        accept: '*/*',
      }),
    ).toEqual({ accept: '*/*' });
  });

  it('drops what only the platform may say', () => {
    const claimed = Object.fromEntries(INTERNAL_HEADERS.map((name) => [name, 'forged']));
    expect(passHeaders({ ...claimed, accept: '*/*' }, INTERNAL_HEADERS)).toEqual({ accept: '*/*' });
  });
});
