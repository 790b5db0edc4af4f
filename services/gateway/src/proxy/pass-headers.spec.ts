import { describe, expect, it } from '@jest/globals';
import { INTERNAL_HEADERS, passHeaders } from './pass-headers.js';

describe('passHeaders', () => {
  it('forwards headers of the message', () => {
    const headers = { host: 'tollgate.example', 'content-length': '5', cookie: 'session=x', 'x-custom': 'y' };
    expect(passHeaders(headers)).toEqual(headers);
  });

  it('drops headers of the connection, also those that the Connection header names', () => {
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

  it('drops headers that only Tollgate may set', () => {
    const claimed = Object.fromEntries(INTERNAL_HEADERS.map((name) => [name, 'forged']));
    expect(passHeaders({ ...claimed, accept: '*/*' }, INTERNAL_HEADERS)).toEqual({ accept: '*/*' });
  });
});
