import { describe, expect, it } from '@jest/globals';
import { ROOT, type TestBed } from '@tollgate/testing';
import { plain } from './support.js';

/** Which replies pages of other origins may read, and what they may not do with a session. */
export function describeCrossOrigin(testBed: () => TestBed): void {
  describe('cross-origin requests', () => {
    const ORIGIN = { origin: 'https://elsewhere.example' };
    const OPEN = [
      '/v1/chat/completions',
      '/v1/models',
      '/v1/messages',
      '/v1/dashboard/billing/usage',
      '/dashboard/billing/subscription',
      '/api/log/token',
      '/api/log/token/',
      '/v1/nothing',
    ];

    it.each(OPEN)('get a preflight reply for %s from any origin, without credentials', async (path) => {
      const ask = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-os',
      };
      const reply = await plain(testBed(), 'OPTIONS', path, { headers: { ...ORIGIN, ...ask } });
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(reply.headers.get('access-control-allow-methods')).toMatch(/GET.*POST.*PUT.*DELETE.*OPTIONS/);
      expect(reply.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-stainless-os');
      expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
    });

    it('may name the type of a body that the preflight request does not have', async () => {
      const headers = { ...ORIGIN, 'access-control-request-method': 'POST', 'content-type': 'application/json' };
      const reply = await plain(testBed(), 'OPTIONS', '/v1/chat/completions', { headers });
      expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    });

    it.each([
      '/v1/models',
      '/v1/models/gpt-4o',
      '/v1/dashboard/billing/usage',
      '/dashboard/billing/subscription',
      '/api/log/token',
      '/v1/nothing',
    ])('may read the reply of GET %s, also an error', async (path) => {
      const reply = await plain(testBed(), 'GET', path, { headers: ORIGIN });
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
      expect(reply.headers.get('access-control-expose-headers')?.split(', ')).toEqual(
        expect.arrayContaining(['X-Oneapi-Request-Id', 'X-Request-Id', 'Request-Id']),
      );
    });

    it.each(['/api/status', '/api/user/self', '/api/log/self', '/api/token', '/pg/chat/completions'])(
      'may not read %s',
      async (path) => {
        const replies = await Promise.all([
          plain(testBed(), 'GET', path, { headers: ORIGIN }),
          plain(testBed(), 'OPTIONS', path, { headers: { ...ORIGIN, 'access-control-request-method': 'GET' } }),
        ]);
        for (const reply of replies) expect(reply.headers.get('access-control-allow-origin')).toBeNull();
      },
    );

    it.each([ORIGIN, { origin: 'null' }, { origin: 'file://' }, { 'sec-fetch-site': 'cross-site' }])(
      'from %j are refused with a session cookie',
      async (headers) => {
        const reply = await testBed().root.call('PUT', '/api/user/self', { display_name: 'Foreign' }, headers);
        expect([reply.status, reply.body.success]).toEqual([403, false]);
      },
    );

    it.each([ORIGIN, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])(
      'from %j are refused for sign-in, registration and set-up',
      async (headers) => {
        for (const path of ['/api/user/login', '/api/user/register', '/api/setup']) {
          const reply = await testBed().visitor().call('POST', path, ROOT, headers);
          expect([reply.status, reply.body]).toEqual([
            403,
            expect.objectContaining({ success: false, code: 'foreign-origin' }),
          ]);
          expect(reply.headers.getSetCookie()).toEqual([]);
        }
      },
    );
  });
}
