import { describe, expect, it } from '@jest/globals';
import type { UpstreamRequest } from '@tollgate/providers';
import { withClientHeaders } from './upstream-request.js';

const request: UpstreamRequest = {
  method: 'POST',
  url: 'http://u',
  headers: { Accept: 'text/event-stream', 'x-api-key': 'k' },
};
const client = {
  'x-title': 'App',
  accept: '*/*',
  cookie: 'c',
  authorization: 'Bearer sk',
  'mj-api-secret': 's',
  'x-tollgate-caller': 't',
  'x-other': 'o',
};

describe('withClientHeaders', () => {
  it('adds the named headers of the client, whatever their case', () => {
    const { headers } = withClientHeaders(request, { forward_headers: ['X-Title', 'X-Absent'] }, client);
    expect(headers).toEqual({ accept: 'text/event-stream', 'x-api-key': 'k', 'x-title': 'App' });
  });

  it('leaves what the dialect sets, and never sends credentials, also of settings that were not checked', () => {
    const names = ['accept', 'Cookie', 'authorization', 'mj-api-secret', 'X-Tollgate-Caller', 5 as unknown as string];
    const { headers } = withClientHeaders(request, { forward_headers: names }, client);
    expect(headers).toEqual({ accept: 'text/event-stream', 'x-api-key': 'k' });
  });

  it.each([{}, { forward_headers: 'x-title' as unknown as string[] }])('changes nothing by %p', (setting) => {
    expect(withClientHeaders(request, setting, client)).toBe(request);
  });
});
