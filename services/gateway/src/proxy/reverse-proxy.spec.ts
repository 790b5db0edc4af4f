import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { type Env, type Host, type Logger, type Metrics, readEnv, SecretBox } from '@tollgate/chassis';
import type { ServiceName } from '@tollgate/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReverseProxy } from './reverse-proxy.js';

interface Timeouts {
  headersTimeout: number;
  bodyTimeout: number;
}

/** The time limits with which a request is sent to this owner; `undefined` where none is sent. */
function sentTo(owner: ServiceName, env: Partial<Env> = {}, hasLeft = false): Timeouts | undefined {
  let sent: Timeouts | undefined;
  const pool = { dispatch: (options: Timeouts) => void (sent = options) };
  const host = {
    env: { ...readEnv({}), ...env },
    directory: { inTurn: () => [{ pool }] },
    revisions: { header: '' },
  };
  const metrics = { counter: () => ({ inc: () => undefined }) };
  const secrets = new SecretBox('x'.repeat(32));
  const proxy = new ReverseProxy(host as unknown as Host, secrets, {} as Logger, metrics as unknown as Metrics);
  const raw = { headers: {}, method: 'GET', url: '/v1/models', httpVersion: '1.1' };
  const request = { id: '1', ip: '127.0.0.1', protocol: 'http', host: 'a', headers: {}, raw };
  const response = Object.assign(new EventEmitter(), { destroyed: hasLeft });
  proxy.pass(
    owner,
    request as unknown as FastifyRequest,
    { hijack: () => undefined, raw: response } as unknown as FastifyReply,
  );
  return sent;
}

/** In seconds. */
function limitsFor(owner: ServiceName, env: Partial<Env> = {}): { headers: number; body: number } {
  const { headersTimeout = 0, bodyTimeout = 0 } = sentTo(owner, env) ?? {};
  return { headers: headersTimeout / 1000, body: bodyTimeout / 1000 };
}

describe('ReverseProxy', () => {
  it('waits longer for a relay than a call may take there, since it would cut off a client that is charged', () => {
    const { headers, body } = limitsFor('relay');
    // Several channels in turn, or an upstream that is asked for its result for ten minutes.
    expect(headers).toBeGreaterThan(Math.max(4 * 300, 600));
    // A model that thinks long may be silent for twice the usual time, an upstream by WebSocket for that of a first byte.
    expect(body).toBeGreaterThan(Math.max(2 * 60, 300));
    const patient = limitsFor('relay', { TOLLGATE_UPSTREAM_TIMEOUT_SECONDS: 3600, TOLLGATE_STREAM_IDLE_SECONDS: 3600 });
    expect(Math.min(patient.headers, patient.body)).toBeGreaterThan(2 * 3600);
  });

  it('does not wait long for any other owner that hangs', () => {
    expect(limitsFor('billing')).toEqual({ headers: 330, body: 90 });
  });

  it('sends nothing for a client that has left during its authentication', () => {
    expect(sentTo('relay', {}, true)).toBeUndefined();
    expect(sentTo('relay')).toBeDefined();
  });
});
