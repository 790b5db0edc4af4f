import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Clock, type Host, type KeyValue, MemoryKeyValue, SecretBox } from '@tollgate/chassis';
import { interrupted } from '@tollgate/testing';
import {
  type Claim,
  IdempotencyStore,
  KEPT_SECONDS,
  type KeyName,
  LOCK_SECONDS,
  type Run,
} from './idempotency-store.js';

function made(megabytes = 512) {
  let ms = 0;
  const keyValue = new MemoryKeyValue({ now: () => ms });
  const secrets = new SecretBox('a secret of the tests that is long enough');
  const host = { env: { TOLLGATE_IDEMPOTENCY_MB: megabytes } } as unknown as Host;
  const over = (other: KeyValue) => new IdempotencyStore(other, secrets, new Clock(), host);
  return { store: over(keyValue), over, keyValue, pass: (seconds: number) => (ms += seconds * 1000) };
}

const name: KeyName = { scope: 'token/1', userId: 1, key: 'k', print: 'p' };
const answer = {
  status: 200,
  headers: { 'content-type': 'text/plain', connection: 'keep-alive' },
  body: Buffer.from('hi'),
};

async function begun(store: IdempotencyStore, key: KeyName, requestId: string): Promise<Run> {
  const claim = await store.claim(key, requestId);
  if (claim.kind !== 'run') throw new Error(`the key is ${claim.kind}`);
  return claim.run;
}

describe('IdempotencyStore', () => {
  it('gives a key to one of many runs, and its answer to all later ones', async () => {
    const { store } = made();
    const claims = await Promise.all(['a', 'b', 'c'].map((id) => store.claim(name, id)));
    expect(claims.map(({ kind }) => kind).sort()).toEqual(['busy', 'busy', 'run']);
    await store.keep(name, 'a', answer);
    for (const claim of claims) if (claim.kind === 'run') await store.release(claim.run);
    expect(await store.claim(name, 'd')).toEqual({
      ...{ kind: 'answer', requestId: 'a', status: 200, body: Buffer.from('hi') },
      headers: { 'content-type': 'text/plain' },
    });
    expect(await store.claim({ ...name, print: 'q' }, 'd')).toEqual({ kind: 'different' });
    expect(await store.claim({ ...name, scope: 'token/2' }, 'd')).toMatchObject({ kind: 'run', isFirst: true });
  });

  it('continues a key whose run died without a record under the same id', async () => {
    const { store, pass } = made();
    const run = await begun(store, name, 'a');
    pass(LOCK_SECONDS - 1);
    await store.renew(run);
    pass(LOCK_SECONDS - 1);
    expect(await store.claim(name, 'b')).toEqual({ kind: 'busy' });
    pass(2);
    expect(await store.claim({ ...name, print: 'q' }, 'b')).toEqual({ kind: 'different' });
    const again = await begun(store, name, 'b');
    expect(again).toMatchObject({ requestId: 'a', generation: 2 });
    expect(await store.claim(name, 'c')).toEqual({ kind: 'busy' });
    // A run that was not dead after all cannot write a second record.
    expect([await store.record(run, 'charged'), await store.record(again, 'charged')]).toEqual([false, true]);
    expect(await store.record(again, 'charged')).toBe(true);
  });

  it('reports that the record of a dead run is the charge, and allows no other', async () => {
    const { store, pass } = made();
    const dead = await begun(store, name, 'a');
    expect(await store.record(dead, 'charged')).toBe(true);
    for (const id of ['b', 'c']) {
      pass(LOCK_SECONDS + 1);
      const run = { requestId: 'a', generation: 1 };
      expect(await store.claim(name, id)).toMatchObject({ kind: 'run', isFirst: false, wasCharged: true, run });
    }
  });

  it('starts over, under a new id, after a failure that was recorded but not forgotten', async () => {
    const { store, pass } = made();
    expect(await store.record(await begun(store, name, 'a'), 'free')).toBe(true);
    pass(LOCK_SECONDS + 1);
    const run = { requestId: 'b', generation: 1 };
    expect(await store.claim(name, 'b')).toMatchObject({ kind: 'run', isFirst: true, wasCharged: false, run });
  });

  it('decides once which run has the record when a run is taken over while writing it', async () => {
    for (const isLate of [false, true]) {
      const { store, pass } = made();
      const late = await begun(store, name, 'a');
      pass(LOCK_SECONDS + 1);
      const both = isLate
        ? [store.claim(name, 'b'), store.record(late, 'charged')]
        : [store.record(late, 'charged'), store.claim(name, 'b')];
      const [first, second] = await Promise.all(both);
      const [has, claim] = isLate ? [second, first] : [first, second];
      expect(claim).toMatchObject({ kind: 'run', wasCharged: has });
    }
  });

  it('keeps the possible charge of a dead run when the run that seemed dead fails', async () => {
    const { store, pass } = made();
    const late = await begun(store, name, 'a');
    pass(LOCK_SECONDS + 1);
    const next = await begun(store, name, 'b');
    expect(await store.record(next, 'charged')).toBe(true);
    pass(LOCK_SECONDS + 1);
    await store.forget(late);
    expect(await store.claim(name, 'c')).toMatchObject({ kind: 'run', isFirst: false, wasCharged: true });
  });

  it('is one key while replicas use different secret keys, of which one is being replaced', async () => {
    const keyValue = new MemoryKeyValue({ now: () => 0 });
    const host = { env: { TOLLGATE_IDEMPOTENCY_MB: 512 } } as unknown as Host;
    const [OLD, NEW] = [
      'the secret before, which is long enough',
      'the secret after, which is long enough too',
    ] as const;
    const [announced, swapped, after] = [
      new SecretBox(OLD, { next: NEW }),
      new SecretBox(NEW, { previous: OLD }),
      new SecretBox(NEW),
    ].map((secrets) => new IdempotencyStore(keyValue, secrets, new Clock(), host)) as [
      IdempotencyStore,
      IdempotencyStore,
      IdempotencyStore,
    ];
    const both = await Promise.all([announced.claim(name, 'a'), swapped.claim(name, 'b')]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['busy', 'run']);
    const [won] = both.filter((claim) => claim.kind === 'run');
    const { run } = won as { run: Run };
    const { requestId } = run;
    const owner = requestId === 'a' ? announced : swapped;
    await owner.renew(run);
    await owner.keep(run, requestId, answer);
    await owner.release(run);
    expect(await announced.claim(name, 'c')).toMatchObject({ kind: 'answer', requestId });
    expect(await swapped.claim(name, 'd')).toMatchObject({ kind: 'answer', requestId });

    const later = await begun(swapped, { ...name, key: 'later' }, 'e');
    await swapped.keep(later, 'e', answer);
    await swapped.release(later);
    expect(await after.claim({ ...name, key: 'later' }, 'f')).toMatchObject({ kind: 'answer', requestId: 'e' });

    await announced.forget(await begun(announced, { ...name, key: 'free' }, 'g'));
    expect(await swapped.claim({ ...name, key: 'free' }, 'h')).toMatchObject({ kind: 'run', isFirst: true });
  });

  it('keeps a key for a day, but not after its call cost nothing', async () => {
    const { store, pass } = made();
    await store.forget(await begun(store, name, 'a'));
    const run = await begun(store, name, 'b');
    await store.keep(name, 'b', answer);
    await store.release(run);
    pass(KEPT_SECONDS - 1);
    expect(await store.claim(name, 'c')).toMatchObject({ kind: 'answer' });
    pass(2);
    expect(await store.claim(name, 'c')).toMatchObject({ kind: 'run', isFirst: true, run: { requestId: 'c' } });
  });

  it('keeps nothing that can be read without the secret, and no larger answer than there is room for', async () => {
    const { store, keyValue } = made(2);
    const noise = { ...answer, body: Buffer.from(randomBytes(60_000).toString('hex')) };
    const outcomes: string[] = [];
    for (const key of ['one', 'two', 'three']) {
      const run = await begun(store, { ...name, key }, key);
      await store.keep(run, key, noise);
      await store.release(run);
      outcomes.push((await store.claim({ ...name, key }, 'again')).kind);
    }
    // An eighth of one megabyte: one encrypted answer of 60 000 random bytes.
    expect(outcomes).toEqual(['answer', 'not-kept', 'not-kept']);
    for (let more = 0; more < 200; more += 1) await store.claim({ ...name, key: `${more}` }, 'x');
    expect(await store.claim({ ...name, key: 'last' }, 'x')).toEqual({ kind: 'full' });
    // Another token of the same user gets no additional space; other users have their own share.
    expect(await store.claim({ ...name, scope: 'token/2' }, 'x')).toEqual({ kind: 'full' });
    expect(await store.claim({ ...name, scope: 'token/3', userId: 2 }, 'x')).toMatchObject({ kind: 'run' });
    expect(JSON.stringify([...(keyValue as unknown as { entries: Map<string, unknown> }).entries])).not.toContain(
      noise.body.toString('base64').slice(0, 40),
    );
  });

  it('gives back the space of forgotten keys', async () => {
    const { store } = made(1);
    // An eighth of half a megabyte: 64 keys.
    for (let time = 0; time < 100; time += 1) await store.forget(await begun(store, { ...name, key: `${time}` }, 'x'));
    expect(await store.claim({ ...name, key: 'last' }, 'x')).toMatchObject({ kind: 'run' });
  });

  it('prevents a run that seemed dead from changing anything of the one that took over', async () => {
    const { store, pass } = made();
    const late = await begun(store, name, 'a');
    pass(LOCK_SECONDS + 1);
    const now = await begun(store, name, 'b');
    pass(LOCK_SECONDS - 1);
    await store.renew(late);
    await store.release(late);
    await store.forget(late);
    expect(await store.claim(name, 'c')).toEqual({ kind: 'busy' });
    pass(2);
    // No lock is held any more, but the key is still known.
    expect(await store.claim(name, 'c')).toMatchObject({ kind: 'run', isFirst: false, run: { requestId: 'a' } });
    await store.release(now);
    expect(await store.claim(name, 'd')).toEqual({ kind: 'busy' });
  });

  it.each([1, 2, 3, 4])('has one holder when a lock lapses before command %i and another run takes it', async (at) => {
    const { store, over, keyValue, pass } = made();
    const late = await begun(store, name, 'a');
    let next: Claim | undefined;
    const lapse = async (): Promise<void> => {
      pass(LOCK_SECONDS + 1);
      next = await store.claim(name, 'b');
    };
    const slow = over(interrupted(keyValue, at, lapse));
    await slow.renew(late);
    await slow.release(late);
    // Locks that did not lapse meanwhile are free now.
    next ??= await store.claim(name, 'b');
    expect(next.kind).toBe('run');
    expect(await store.claim(name, 'c')).toEqual({ kind: 'busy' });
  });

  it.each([1, 2, 3, 4, 5])(
    'deletes nothing of a run that takes over when the lock lapses before command %i',
    async (at) => {
      const { store, over, keyValue, pass } = made();
      const late = await begun(store, name, 'a');
      pass(LOCK_SECONDS - 1);
      let next: Claim | undefined;
      const lapse = async (): Promise<void> => {
        pass(2);
        next = await store.claim(name, 'b');
      };
      await over(interrupted(keyValue, at, lapse)).forget(late);
      // A run that got the key meanwhile is charged for it, and then dies.
      const hasRun = next?.kind === 'run' && (await store.record(next.run, 'charged'));
      pass(LOCK_SECONDS + 1);
      expect(await store.claim(name, 'c')).toMatchObject({ kind: 'run', wasCharged: hasRun });
    },
  );

  it('forgets no answer that the run which took over has kept', async () => {
    const { store, pass } = made();
    const late = await begun(store, name, 'a');
    pass(LOCK_SECONDS + 1);
    const now = await begun(store, name, 'b');
    await store.keep(now, 'a', answer);
    await store.release(now);
    await store.forget(late);
    expect(await store.claim(name, 'c')).toMatchObject({ kind: 'answer', requestId: 'a' });
  });
});
