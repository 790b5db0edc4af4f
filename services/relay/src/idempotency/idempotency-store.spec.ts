import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Clock, type Host, MemoryKeyValue, SecretBox } from '@tollgate/chassis';
import { IdempotencyStore, KEPT_SECONDS, type KeyName, LOCK_SECONDS } from './idempotency-store.js';

function made(megabytes = 512) {
  let ms = 0;
  const keyValue = new MemoryKeyValue({ now: () => ms });
  const secrets = new SecretBox('a secret of the tests that is long enough');
  const host = { env: { TOLLGATE_IDEMPOTENCY_MB: megabytes } } as unknown as Host;
  const store = new IdempotencyStore(keyValue, secrets, new Clock(), host);
  return { store, keyValue, pass: (seconds: number) => (ms += seconds * 1000) };
}

const name: KeyName = { scope: 'token/1', key: 'k', print: 'p' };
const answer = {
  status: 200,
  headers: { 'content-type': 'text/plain', connection: 'keep-alive' },
  body: Buffer.from('hi'),
};

describe('IdempotencyStore', () => {
  it('gives a key to one of many, and its answer to all that come later', async () => {
    const { store } = made();
    const claims = await Promise.all(['a', 'b', 'c'].map((id) => store.claim(name, id)));
    expect(claims.map(({ kind }) => kind).sort()).toEqual(['busy', 'busy', 'run']);
    await store.keep(name, 'a', answer);
    await store.release(name);
    expect(await store.claim(name, 'd')).toEqual({
      ...{ kind: 'answer', requestId: 'a', status: 200, body: Buffer.from('hi') },
      headers: { 'content-type': 'text/plain' },
    });
    expect(await store.claim({ ...name, print: 'q' }, 'd')).toEqual({ kind: 'different' });
    expect(await store.claim({ ...name, scope: 'token/2' }, 'd')).toMatchObject({ kind: 'run', isFirst: true });
  });

  it('lets a key whose run died go on under the same id, so that both are one charge', async () => {
    const { store, pass } = made();
    expect(await store.claim(name, 'a')).toEqual({ kind: 'run', requestId: 'a', isFirst: true });
    pass(LOCK_SECONDS - 1);
    await store.renew(name, 'a');
    pass(LOCK_SECONDS - 1);
    expect(await store.claim(name, 'b')).toEqual({ kind: 'busy' });
    pass(2);
    expect(await store.claim({ ...name, print: 'q' }, 'b')).toEqual({ kind: 'different' });
    expect(await store.claim(name, 'b')).toEqual({ kind: 'run', requestId: 'a', isFirst: false });
    expect(await store.claim(name, 'c')).toEqual({ kind: 'busy' });
  });

  it('knows a key for a day, and not once its call cost nothing', async () => {
    const { store, pass } = made();
    await store.claim(name, 'a');
    await store.forget(name);
    expect(await store.claim(name, 'b')).toMatchObject({ requestId: 'b', isFirst: true });
    await store.keep(name, 'b', answer);
    await store.release(name);
    pass(KEPT_SECONDS - 1);
    expect(await store.claim(name, 'c')).toMatchObject({ kind: 'answer' });
    pass(2);
    expect(await store.claim(name, 'c')).toMatchObject({ kind: 'run', requestId: 'c', isFirst: true });
  });

  it('keeps nothing that can be read without the secret, and no larger answer than there is room for', async () => {
    const { store, keyValue } = made(2);
    const noise = { ...answer, body: Buffer.from(randomBytes(60_000).toString('hex')) };
    const outcomes: string[] = [];
    for (const key of ['one', 'two', 'three']) {
      await store.claim({ ...name, key }, key);
      await store.keep({ ...name, key }, key, noise);
      await store.release({ ...name, key });
      outcomes.push((await store.claim({ ...name, key }, 'again')).kind);
    }
    // An eighth of one megabyte: one answer of 60 000 random bytes, sealed.
    expect(outcomes).toEqual(['answer', 'not-kept', 'not-kept']);
    for (let more = 0; more < 200; more += 1) await store.claim({ ...name, key: `${more}` }, 'x');
    expect(await store.claim({ ...name, key: 'last' }, 'x')).toEqual({ kind: 'full' });
    // Others have their own share.
    expect(await store.claim({ ...name, scope: 'token/2' }, 'x')).toMatchObject({ kind: 'run' });
    expect(JSON.stringify([...(keyValue as unknown as { entries: Map<string, unknown> }).entries])).not.toContain(
      noise.body.toString('base64').slice(0, 40),
    );
  });
});
