import { type Agent, type IncomingMessage, request } from 'node:http';
import { keyHeader } from '../support/relay-site.js';
import { bodyOf, isComplete, KINDS, type Seen } from '../support/witness.js';

const PATIENCE_MS = 60_000;

/**
 * Like `observe` in `witness.ts`, at a fifth of the cost of `fetch`, because load and product share the processors.
 * Never throws.
 */
export function glance(seen: Seen, { url, key, agent }: { url: string; key: string; agent: Agent }): Promise<void> {
  const { dialect, path } = KINDS[seen.kind];
  const body = JSON.stringify(bodyOf(seen));
  return new Promise((done) => {
    const headers = {
      ...keyHeader(dialect, key),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const call = request(`${url}${path}`, { method: 'POST', agent, headers });
    const leave = (): void => {
      seen.hasLeft = seen.leavesAfterMs !== undefined;
      call.destroy(new Error('no client waits that long'));
    };
    const timer = setTimeout(leave, seen.leavesAfterMs ?? PATIENCE_MS);
    const end = (failure?: string): void => {
      clearTimeout(timer);
      if (failure !== undefined) seen.failure = `${seen.status} ${failure}`;
      done();
    };
    call.once('error', (error) => end(error.message));
    call.once('response', (reply) => void read(reply, seen).then(end));
    call.end(body);
  });
}

/** Resolves to what failed, if anything. */
function read(reply: IncomingMessage, seen: Seen): Promise<string | undefined> {
  seen.status = reply.statusCode ?? 0;
  seen.requestId = String(reply.headers['x-oneapi-request-id'] ?? '');
  reply.setEncoding('utf8');
  reply.on('data', (text: string) => (seen.received += text));
  return new Promise((done) => {
    reply.once('error', (error) => done(error.message));
    reply.once('close', () => done('closed'));
    reply.once('end', () => {
      seen.isWhole = seen.status === 200 && isComplete(seen);
      done(seen.isWhole ? undefined : seen.received.slice(-200));
    });
  });
}
