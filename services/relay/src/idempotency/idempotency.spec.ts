import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Clock, type Host, Logger, MemoryKeyValue, type Metrics, SecretBox } from '@tollgate/chassis';
import type { RelayCall } from '../call/relay-call.js';
import { Refusal } from '../call/refusal.js';
import { type Ending, Idempotency } from './idempotency.js';
import { IdempotencyStore } from './idempotency-store.js';

const MB = 1024 * 1024;

function made(broken: Partial<IdempotencyStore> = {}) {
  const host = { env: { TOLLGATE_IDEMPOTENCY_MB: 512 } } as unknown as Host;
  const secrets = new SecretBox('a secret of the tests that is long enough');
  const store = new IdempotencyStore(new MemoryKeyValue(), secrets, new Clock(), host);
  const metrics = { counter: () => ({ inc: () => undefined }) } as unknown as Metrics;
  return new Idempotency(Object.assign(store, broken), Logger.root('silent'), metrics);
}

let calls = 0;
function call(): RelayCall {
  calls += 1;
  return {
    ...{ requestId: `call ${calls}`, endpoint: 'chat', model: 'm', isStream: true, bytes: Buffer.from('{}') },
    ...{ headers: { 'idempotency-key': 'k' }, user: { id: 1 }, token: { id: 1 } },
    response: new ServerResponse(new IncomingMessage(new Socket())),
  } as unknown as RelayCall;
}

const leave = ({ response }: RelayCall): void => {
  response.destroy();
  response.emit('close');
};
const served = async ({ response }: RelayCall): Promise<Ending> => {
  response.writeHead(200);
  response.end('whole');
  return 'served';
};
const notKept = { status: 409, error: { code: 'idempotency_answer_not_kept' } };

describe('Idempotency', () => {
  it('never runs again what was charged although its client left after more than is kept', async () => {
    const idempotency = made();
    const first = call();
    await idempotency.run(first, async ({ response }) => {
      response.writeHead(200);
      response.write(Buffer.alloc(5 * MB));
      leave(first);
      expect(response.destroyed).toBe(true);
      return 'served';
    });
    await expect(idempotency.run(call(), served)).rejects.toMatchObject(notKept);
  });

  it('never runs again what was charged although its bytes were cut', async () => {
    const idempotency = made();
    await idempotency.run(call(), async ({ response }) => {
      response.writeHead(200);
      response.write('half');
      response.destroy();
      return 'served';
    });
    await expect(idempotency.run(call(), served)).rejects.toMatchObject(notKept);
  });

  it("closes the kept answer of a refused call, and leaves its client's response alone", async () => {
    const idempotency = made();
    const first = call();
    let hasClosed = false;
    const refused = idempotency.run(first, async ({ response }) => {
      response.once('close', () => (hasClosed = true));
      throw new Refusal(400, 'no');
    });
    await expect(refused).rejects.toThrow('no');
    expect([hasClosed, first.response.destroyed]).toEqual([true, false]);
    expect(await idempotency.run(call(), served)).toBe(true);
  });

  it('distinguishes a stream as a JSON array from the same stream as events', async () => {
    const idempotency = made();
    await idempotency.run(call(), served);
    const asList = idempotency.run({ ...call(), isJsonArray: true }, served);
    await expect(asList).rejects.toMatchObject({ status: 422, error: { code: 'idempotency_key_reused' } });
  });

  it('distinguishes calls of the playground in different groups', async () => {
    const idempotency = made();
    const inGroup = (group: string): RelayCall => ({ ...call(), token: undefined, group });
    await idempotency.run(inGroup('default'), served);
    expect(await idempotency.run(inGroup('default'), served)).toBe(true);
    await expect(idempotency.run(inGroup('vip'), served)).rejects.toMatchObject({ status: 422 });
  });

  /** A call that was recorded and charged, whose answer was then lost. */
  async function chargedAndLost(idempotency: Idempotency, first: RelayCall): Promise<void> {
    const lost = new Refusal(500, 'lost');
    lost.isCharged = true;
    const run = idempotency.run(first, async (asked) => {
      expect(await asked.mayRecord?.('charged')).toBe(true);
      throw lost;
    });
    await expect(run).rejects.toBe(lost);
  }
  const ranAs = async (idempotency: Idempotency, second: RelayCall): Promise<Partial<RelayCall>> => {
    const seen: RelayCall[] = [];
    await idempotency.run(second, (asked) => {
      seen.push(asked);
      return served(asked);
    });
    const { requestId, repeats, isAgain, wasCharged } = seen[0] as RelayCall;
    return { requestId, repeats, isAgain, wasCharged } as Partial<RelayCall>;
  };

  it('makes up for what was charged and lost, under an id of its own', async () => {
    const idempotency = made();
    const first = call();
    await chargedAndLost(idempotency, first);
    const second = call();
    expect(await ranAs(idempotency, second)).toEqual({ requestId: second.requestId, repeats: first.requestId });
  });

  it('continues a task that was charged and lost under its id, without another charge', async () => {
    const idempotency = made();
    const first = { ...call(), endpoint: 'task' } as unknown as RelayCall;
    await chargedAndLost(idempotency, first);
    const second = { ...call(), endpoint: 'task' } as unknown as RelayCall;
    const { requestId } = first;
    expect(await ranAs(idempotency, second)).toEqual({ requestId, isAgain: true, wasCharged: true });
  });

  it('reruns under the same id what ended without a record', async () => {
    const idempotency = made({ forget: () => Promise.reject(new Error('away')) });
    const first = call();
    await idempotency.run(first, () => Promise.resolve('unserved'));
    expect(await ranAs(idempotency, call())).toEqual({ requestId: first.requestId, isAgain: true });
  });

  it('refuses a call whose single record it cannot guarantee', async () => {
    const idempotency = made({ record: () => Promise.reject(new Error('away')) });
    const run = idempotency.run(call(), async ({ mayRecord }) => {
      await mayRecord?.('charged');
      return 'served';
    });
    await expect(run).rejects.toMatchObject({ status: 503, error: { code: 'idempotency_unavailable' } });
  });

  it('replays a refusal that was sent as the answer', async () => {
    const idempotency = made();
    await idempotency.run(call(), async ({ response }) => {
      response.writeHead(400);
      response.end('refused and paid for');
      return 'unserved';
    });
    const again = call();
    expect(await idempotency.run(again, served)).toBe(false);
    expect(again.response.statusCode).toBe(400);
  });

  it('charges a call only once when its answer was sent but could not be kept', async () => {
    const idempotency = made({ keep: () => Promise.reject(new Error('away')) });
    const first = call();
    await idempotency.run(first, async ({ response, mayRecord }) => {
      await mayRecord?.('charged');
      response.writeHead(400);
      response.end('refused and paid for');
      return 'unserved';
    });
    expect(await ranAs(idempotency, call())).toMatchObject({ repeats: first.requestId });
  });

  it('is another call at another address of one endpoint', async () => {
    const idempotency = made();
    await idempotency.run({ ...call(), path: '/mj-relax/submit/imagine' }, served);
    await expect(idempotency.run({ ...call(), path: '/mj-fast/submit/imagine' }, served)).rejects.toMatchObject({
      status: 422,
    });
  });

  it('frees the key of a failure before its client is answered, even if the head was sent', async () => {
    const idempotency = made();
    const failed = idempotency.run(call(), async ({ response }) => {
      response.writeHead(200);
      response.write(': PING\n\n');
      throw new Refusal(502, 'no');
    });
    await expect(failed).rejects.toThrow('no');
    const second = call();
    let ranAs = '';
    await idempotency.run(second, async (asked) => {
      ranAs = asked.requestId;
      return served(asked);
    });
    expect(ranAs).toBe(second.requestId);
  });
});
