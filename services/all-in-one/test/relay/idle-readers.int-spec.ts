import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  type HostileEndpoint,
  type HostileUpstream,
  readUntil,
  scenarios,
  type TestBed,
  startFakeUpstream,
  startHostileUpstream,
  startTestBed,
} from '@tollgate/testing';
import { logRows } from '../support/relay-site.js';

const IDLE_SECONDS = 1;
/** Much more than the buffers between two processes hold, and less than the maximum of a reply. */
const MUCH = 48 * 1024 * 1024;

describe('a client that stops reading', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let hostile: HostileUpstream;
  let endpoint: HostileEndpoint;
  let key: string;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    hostile = await startHostileUpstream();
    endpoint = hostile.endpoint(scenarios.speak());
    testBed = await startTestBed(allServices, { TOLLGATE_STREAM_IDLE_SECONDS: String(IDLE_SECONDS) });
    await testBed.channel({ name: 'talkative', base_url: upstream.url, models: 'gpt-4o' });
    await testBed.channel({ name: 'large', base_url: endpoint.url, models: 'gpt-4o-mini' });
    key = await testBed.token(await testBed.user('sleeper', 1_000_000_000));
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
    await hostile?.close();
  });
  beforeEach(() => upstream.reset());
  afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

  /** Sends a request and does not read the reply. */
  function askAndSleep(body: Record<string, unknown>): Socket {
    const text = JSON.stringify(body);
    const { hostname, port } = new URL(testBed.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    sockets.push(socket);
    socket.pause();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    return socket;
  }

  /** Number of bytes that still arrive once the client reads again, until the connection ends. */
  async function wake(socket: Socket): Promise<number> {
    let bytes = 0;
    socket.on('data', (piece: Buffer) => (bytes += piece.length));
    const ended = new Promise<void>((done) => socket.once('close', () => done()));
    socket.resume();
    await Promise.race([ended, pause(5000, undefined, { ref: false })]);
    return bytes;
  }

  it('in the middle of a stream is treated as disconnected: the upstream is aborted, and what was sent is booked', async () => {
    askAndSleep({
      model: 'gpt-4o',
      stream: true,
      messages: [{ role: 'user', content: 'three plain words [[tokens=400000]]' }],
    });
    const stopped = (): boolean => upstream.journal()[0]?.clientAborted === true;
    expect(await readUntil(() => Promise.resolve(stopped()), Boolean, 20_000)).toBe(true);
    const rows = await readUntil(
      () => logRows(testBed),
      (all) => all.length > 0,
    );
    expect(rows.map(({ other }) => [other.outcome, other.abort_policy])).toEqual([['client_abort', 'stop']]);
    expect(rows[0]?.quota).toBeGreaterThan(0);
  }, 40_000);

  it('is not waited for after a complete reply either', async () => {
    endpoint.play(scenarios.sprawl(MUCH));
    const before = (await logRows(testBed)).length;
    const socket = askAndSleep({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] });
    await readUntil(
      () => logRows(testBed),
      (all) => all.length > before,
      20_000,
    );
    // Node checks twice whether any part of a large write was sent in between.
    await pause(3.5 * IDLE_SECONDS * 1000);
    expect(await wake(socket)).toBeLessThan(MUCH);
  }, 60_000);
});
