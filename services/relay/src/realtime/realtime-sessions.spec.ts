import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { Refusal } from '../call/refusal.js';
import type { DialRequest } from './dialer.js';
import { RealtimeSessions } from './realtime-sessions.js';

const quiet = { debug: () => undefined, error: () => undefined };
const metrics = { reading: () => undefined };
const lifecycle = { onLeave: () => undefined, onDrain: () => undefined };
const server = createServer();
type Parts = ConstructorParameters<typeof RealtimeSessions>;

/**
 * Runs a session with this result of its admission; resolves with what its client was sent and which refusals were
 * noted, once it is known that there is no session.
 */
async function sessionThat(admitSession: () => Promise<never>): Promise<{ told: unknown; noted: string[] }> {
  let begun: Promise<void> | undefined;
  const noted: string[] = [];
  const sessions = new RealtimeSessions(
    ...([{ admitSession }, {}, {}, {}, {}, {}, {}, quiet, metrics, lifecycle] as never as Parts),
  );
  const call = { requestId: 'r1', user: { id: 1 } } as DialRequest;
  server.once('upgrade', (request: IncomingMessage, socket, head) => {
    begun = sessions.begin(call, [], { request, socket, head, response: new EventEmitter() } as never, {
      succeeded: () => void noted.push('succeeded'),
      refusal: () => Promise.resolve(undefined),
      refused: ({ reason }) => void noted.push(reason),
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const told = await new Promise((resolve) => client.once('message', (data) => resolve(JSON.parse(String(data)))));
  await new Promise((closed) => client.once('close', closed));
  await begun;
  return { told, noted };
}

describe('RealtimeSessions', () => {
  afterEach(() => new Promise<void>((closed) => server.close(() => closed())));

  it('notes the reason of a refused session that has no record', async () => {
    const refusal = new Refusal(403, 'user quota is not enough', 'insufficient_user_quota');
    const { told, noted } = await sessionThat(() => Promise.reject(refusal));
    expect(told).toMatchObject({ type: 'error', error: { code: 'insufficient_user_quota' } });
    expect(noted).toEqual(['insufficient_user_quota']);
  });
});
