import { describe, expect, it } from '@jest/globals';
import { configure, waitFor } from '@testing-library/react';
import { fakeFetch, json, refusal, success } from '../testing/fake-fetch.js';
import { untilIdle } from '../testing/until-idle.js';
import { selfConfirmed, signedIn } from '../app/slices/session.js';
import { createStore } from '../app/store.js';
import { errorReplySchema } from '@tollgate/contracts/envelope';
import type { ApiError } from './api-error.js';
import { describeError } from './api-error.js';
import { baseApi, injectEndpoints } from './base-api.js';
import { retryDelay } from './envelope-query.js';
import { selfApi } from './self.api.js';
import type { Rows } from './paged.js';
import { rowsOfArray } from './paged.js';

configure({ asyncUtilTimeout: 5000 });

const api = injectEndpoints({
  endpoints: (build) => ({
    listThings: build.query<Rows<number>, void>({
      query: () => 'api/things',
      transformResponse: (items: number[] | null, meta) => rowsOfArray(items, meta),
    }),
    makeThing: build.mutation<null, void>({ query: () => ({ url: 'api/things', method: 'POST' }) }),
  }),
});

describe('envelopeQuery', () => {
  it('unwraps the envelope and reads the total beside it', async () => {
    globalThis.fetch = fakeFetch({ 'GET /api/things': json(success([1, 2]), 200, { 'X-Total-Count': '17' }) }).answer;
    const { data } = await createStore().dispatch(api.endpoints.listThings.initiate());
    expect(data).toEqual({ items: [1, 2], total: 17 });
  });

  it('turns a refusal into an error with its code and announces it once', async () => {
    globalThis.fetch = fakeFetch({
      'POST /api/things': json(refusal('No', 'no-way'), 200, { 'X-Oneapi-Request-Id': 'r1' }),
    }).answer;
    const store = createStore();
    const { error } = await store.dispatch(api.endpoints.makeThing.initiate());
    expect(error).toMatchObject({ status: 200, message: 'No', code: 'no-way', kind: 'invalid', requestId: 'r1' });
    expect(store.getState().toasts).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['a field without a path', { fields: [{ code: 'invalid' }, { path: 'name', code: 'invalid' }] }],
    [
      'a field at a number',
      {
        fields: [
          { path: 3, code: 'invalid' },
          { path: 'name', code: 'invalid' },
        ],
      },
    ],
    ['an empty field', { fields: [null, 'x', { path: 'name', code: 'invalid' }] }],
    ['a field without a code', { fields: [{ path: 'other' }, { path: 'name', code: 'invalid' }] }],
  ])('takes of a refusal what is well formed, and leaves out %s', async (_, fields) => {
    globalThis.fetch = fakeFetch({ 'POST /api/things': { ...refusal('No', 'no-way'), ...fields } }).answer;
    const { error } = await createStore().dispatch(api.endpoints.makeThing.initiate());
    expect(error).toMatchObject({ message: 'No', code: 'no-way', fields: [{ path: 'name', code: 'invalid' }] });
  });

  it.each<[string, object]>([
    ['a message that is no text', { message: { text: 'No' } }],
    ['a code that is no text', { code: 7 }],
    ['an unknown kind', { kind: 'strange' }],
    ['parameters that are none', { params: 'x' }],
    ['a parameter that cannot be said', { params: { max: [1], min: 2 } }],
    ['fields that are no list', { fields: { path: 'name' } }],
    ['members that are none of an error', { status: 299, requestId: 'forged', stack: 'secret' }],
  ])('takes no %s from a reply', async (_, wrong) => {
    globalThis.fetch = fakeFetch({ 'POST /api/things': { ...refusal('No', 'no-way'), ...wrong } }).answer;
    const { error } = await createStore().dispatch(api.endpoints.makeThing.initiate());
    const { status, requestId, retryAfterMs: _wait, ...taken } = error as ApiError;
    expect([status, requestId]).toEqual([200, undefined]);
    const whole = { success: false, code: 'x', kind: 'invalid', ...taken };
    expect(errorReplySchema.strict().safeParse(JSON.parse(JSON.stringify(whole))).error).toBeUndefined();
  });

  it('takes a whole refusal as it is', async () => {
    const fields = [{ path: 'name', code: 'too-long', params: { max: 5, shown: true, reason: 'x' } }];
    const whole = refusal('No', 'no-way', { kind: 'conflict', params: { count: 2 }, fields });
    globalThis.fetch = fakeFetch({ 'POST /api/things': json(whole, 400) }).answer;
    const { error } = await createStore().dispatch(api.endpoints.makeThing.initiate());
    const { success: _, ...taken } = errorReplySchema.parse(whole);
    expect(error).toEqual({ ...taken, status: 400, requestId: undefined, retryAfterMs: undefined });
  });

  it.each([
    [502, { status: 502, message: 'HTTP 502' }],
    [200, { status: 0 }],
  ])('reports no parse error when a proxy answers %d with an HTML page', async (status, expected) => {
    const page = new Response('<html>Bad gateway</html>', { status, headers: { 'content-type': 'text/html' } });
    globalThis.fetch = fakeFetch({ 'POST /api/things': page }).answer;
    const { error } = await createStore().dispatch(api.endpoints.makeThing.initiate());
    expect(error).toMatchObject(expected);
    expect(describeError(error)).not.toContain('SyntaxError');
  });

  it('repeats a GET once after Retry-After, and no other call', async () => {
    let asked = 0;
    const busy = () => json(refusal('x', 'rate-limited'), 429, { 'Retry-After': '0' });
    const network = fakeFetch({
      'GET /api/things': () => (++asked === 1 ? busy() : json(success([]))),
      'POST /api/things': busy,
    });
    globalThis.fetch = network.answer;
    const store = createStore();
    expect((await store.dispatch(api.endpoints.listThings.initiate())).data).toEqual({ items: [] });
    await store.dispatch(api.endpoints.makeThing.initiate());
    expect(network.of('GET', '/api/things')).toHaveLength(2);
    expect(network.of('POST', '/api/things')).toHaveLength(1);
  });

  describe('a call refused for its session', () => {
    const ann = { id: 2, username: 'ann', display_name: 'Ann', role: 10, status: 1, group: 'default' };
    const bob = { ...ann, id: 3, username: 'bob' };
    const unknown = () => json(refusal('Expired', 'not-signed-in', { kind: 'unauthenticated' }), 401);
    const storedUser = () => JSON.parse(localStorage.getItem('user') ?? 'null') as { id: number } | null;

    /** A page that takes Ann for signed in; `GET /api/user/self` is answered by these in turn, the last one for good. */
    const loaded = (refused: () => Response, ...selves: unknown[]) => {
      localStorage.setItem('user', JSON.stringify(ann));
      const network = fakeFetch({
        'GET /api/things': refused,
        'POST /api/things': refused,
        'GET /api/user/self': () => (selves.length > 1 ? selves.shift() : selves[0]),
      });
      globalThis.fetch = network.answer;
      const store = createStore();
      return { store, network, self: () => network.of('GET', '/api/user/self') };
    };
    /** The same, after the server has confirmed it. */
    const askAs = (refused: () => Response, ...selves: unknown[]) => {
      const page = loaded(refused, ...selves);
      page.store.dispatch(selfConfirmed(ann));
      return page;
    };
    const settled = (self: () => unknown[], times: number) => waitFor(() => expect(self()).toHaveLength(times));

    it('ends the session of the user who made the call, once the session itself was refused twice', async () => {
      const { store, self } = askAs(unknown, unknown());
      await store.dispatch(api.endpoints.listThings.initiate());
      expect(store.getState().session.user?.id).toBe(2);
      await waitFor(() => expect(store.getState().session).toMatchObject({ user: null, expired: true }));
      expect(self()).toHaveLength(2);
      expect(storedUser()).toBeNull();
      expect(store.getState().toasts).toEqual([]);
    });

    it.each<[string, () => Response]>([
      ['was sent before another sign-in', unknown],
      ['met a guard on the way', () => new Response('Authorization Required', { status: 401 })],
      ['is refused by another service', () => json(refusal('No', 'other', { kind: 'unauthenticated' }), 401)],
    ])('keeps a session that is valid where the call %s, and says why it failed', async (_, refused) => {
      const { store, self } = askAs(refused, success(ann));
      await store.dispatch(api.endpoints.makeThing.initiate());
      await settled(self, 1);
      await untilIdle(store);
      expect(store.getState().session.user?.id).toBe(2);
      expect(storedUser()?.id).toBe(2);
      expect(store.getState().toasts).toHaveLength(1);
    });

    it('repairs a query that was refused with the cookie from before, without an error', async () => {
      let asked = 0;
      const { store, self, network } = askAs(() => ((asked += 1) === 1 ? unknown() : json(success([7]))), success(ann));
      const query = store.dispatch(api.endpoints.listThings.initiate());
      await query;
      await waitFor(() => expect(api.endpoints.listThings.select()(store.getState()).data?.items).toEqual([7]));
      expect([self().length, network.of('GET', '/api/things').length]).toEqual([1, 2]);
      expect(store.getState().toasts).toEqual([]);
      query.unsubscribe();
    });

    it('asks a query once more only, and then says why it failed', async () => {
      const { store, self, network } = askAs(unknown, success(ann));
      const query = store.dispatch(api.endpoints.listThings.initiate());
      await query;
      await waitFor(() => expect(store.getState().toasts).toHaveLength(1));
      await untilIdle(store);
      expect([self().length, network.of('GET', '/api/things').length]).toEqual([2, 2]);
      expect(store.getState().session.user?.id).toBe(2);
      await query.refetch();
      await settled(self, 3);
      await untilIdle(store);
      expect(network.of('GET', '/api/things')).toHaveLength(3);
      query.unsubscribe();
    });

    it('asks a query once more again after it has succeeded, also where the cache has forgotten that', async () => {
      const good = () => json(success([7]));
      const answers = [unknown, good, unknown, good, unknown, good, unknown, unknown];
      const { store, network } = askAs(() => (answers.shift() ?? good)(), success(ann));
      const isLeft = (count: number) => waitFor(() => expect(answers).toHaveLength(count));
      const query = store.dispatch(api.endpoints.listThings.initiate());
      await isLeft(6);
      await query.refetch();
      await isLeft(4);
      store.dispatch(baseApi.util.resetApiState());
      await store.dispatch(api.endpoints.listThings.initiate(undefined, { forceRefetch: true }));
      await isLeft(2);
      expect(store.getState().toasts).toEqual([]);
      await store.dispatch(api.endpoints.listThings.initiate(undefined, { forceRefetch: true }));
      await waitFor(() => expect(store.getState().toasts).toHaveLength(1));
      await untilIdle(store);
      expect(network.of('GET', '/api/things')).toHaveLength(8);
    });

    it('asks a query once more again after another sign-in', async () => {
      const answers = [unknown, unknown, unknown];
      const { store } = askAs(() => (answers.shift() ?? (() => json(success([7]))))(), success(ann));
      await store.dispatch(api.endpoints.listThings.initiate());
      await waitFor(() => expect(store.getState().toasts).toHaveLength(1));
      store.dispatch(signedIn(ann));
      await store.dispatch(api.endpoints.listThings.initiate());
      await waitFor(() => expect(api.endpoints.listThings.select()(store.getState()).data?.items).toEqual([7]));
      expect(store.getState().toasts).toHaveLength(1);
    });

    it('keeps a session that only a guard on the way refuses, which guards everything', async () => {
      const guard = () => new Response('Authorization Required', { status: 401 });
      const { store, self } = askAs(guard, guard);
      await store.dispatch(api.endpoints.makeThing.initiate());
      await settled(self, 1);
      await untilIdle(store);
      expect(store.getState().session).toMatchObject({ user: { id: 2 }, expired: false });
      expect(store.getState().toasts).toHaveLength(1);
    });

    it('ends a session that nobody has confirmed since the page was loaded at the first refusal of its own', async () => {
      const { store, self } = loaded(unknown, unknown());
      await store.dispatch(api.endpoints.listThings.initiate());
      await waitFor(() => expect(store.getState().session).toMatchObject({ user: null, expired: true }));
      expect(self()).toHaveLength(1);
    });

    it('says nothing about the session of the same user who signed in again meanwhile', async () => {
      const { store, self } = askAs(unknown, unknown());
      await store.dispatch(api.endpoints.listThings.initiate());
      await settled(self, 1);
      store.dispatch(signedIn(ann));
      await settled(self, 2);
      await untilIdle(store);
      expect(store.getState().session).toMatchObject({ user: { id: 2 }, expired: false });
    });

    it('is not reported to a user who signs in while the session is asked for', async () => {
      const { store, self } = askAs(unknown, unknown());
      await store.dispatch(api.endpoints.makeThing.initiate());
      await settled(self, 1);
      store.dispatch(signedIn(bob));
      await settled(self, 2);
      await untilIdle(store);
      expect(store.getState().session).toMatchObject({ user: { id: 3 }, expired: false });
      expect(store.getState().toasts).toEqual([]);
    });

    it('keeps a session whose new cookie was still on its way', async () => {
      const { store, self } = askAs(unknown, unknown(), success(ann));
      await store.dispatch(api.endpoints.listThings.initiate());
      // The third time is for the query, which is made again and refused again.
      await settled(self, 3);
      await untilIdle(store);
      expect(store.getState().session).toMatchObject({ user: { id: 2 }, expired: false });
    });

    it.each([503, 429])('keeps a session that nobody can tell anything about: %d', async (status) => {
      const { store, self } = askAs(unknown, json(refusal('x', 'busy'), status));
      await store.dispatch(api.endpoints.listThings.initiate());
      await settled(self, 1);
      await untilIdle(store);
      expect(store.getState().session.user?.id).toBe(2);
    });

    it('is asked for once for all the calls that were refused together', async () => {
      const { store, self } = askAs(unknown, success(ann));
      await Promise.all([1, 2, 3].map(() => store.dispatch(api.endpoints.makeThing.initiate())));
      await settled(self, 1);
      await untilIdle(store);
      expect(self()).toHaveLength(1);
    });

    it('keeps the session of a user who signed in meanwhile', async () => {
      localStorage.setItem('user', JSON.stringify(ann));
      const store = createStore();
      const answer = () => {
        store.dispatch(signedIn(bob));
        return unknown();
      };
      globalThis.fetch = fakeFetch({ 'GET /api/things': answer }).answer;
      await store.dispatch(api.endpoints.listThings.initiate());
      expect(store.getState().session.user?.id).toBe(3);
      expect(storedUser()?.id).toBe(3);
    });

    it('switches to the user who signed in in another tab', async () => {
      localStorage.setItem('user', JSON.stringify(ann));
      globalThis.fetch = fakeFetch({ 'GET /api/things': unknown }).answer;
      const store = createStore();
      localStorage.setItem('user', JSON.stringify(bob));
      await store.dispatch(api.endpoints.listThings.initiate());
      expect(store.getState().session).toMatchObject({ user: { id: 3 }, expired: false });
      expect(storedUser()?.id).toBe(3);
    });

    it('keeps the user who signed in in another tab, when a late reply names the user of this one', async () => {
      localStorage.setItem('user', JSON.stringify(ann));
      globalThis.fetch = fakeFetch({ 'GET /api/user/self': success(ann) }).answer;
      const store = createStore();
      localStorage.setItem('user', JSON.stringify(bob));
      await store.dispatch(selfApi.endpoints.getSelf.initiate());
      expect(storedUser()?.id).toBe(3);
    });

    it('is not repeated for a banned user, and ends the session with the reason', async () => {
      localStorage.setItem('user', JSON.stringify(ann));
      const network = fakeFetch({ 'GET /api/user/self': refusal('Banned', 'user-banned', { kind: 'forbidden' }) });
      globalThis.fetch = network.answer;
      const store = createStore();
      const self = store.dispatch(selfApi.endpoints.getSelf.initiate());
      await self;
      await untilIdle(store);
      expect(network.calls).toHaveLength(1);
      expect(store.getState().session).toMatchObject({ user: null, expired: true });
      expect(store.getState().toasts.map(({ error }) => error?.message)).toEqual(['Banned']);
      self.unsubscribe();
    });
  });

  it('repeats only a GET with status 429 and a short Retry-After', () => {
    expect(retryDelay('GET', 429, '2')).toBe(2000);
    expect(retryDelay('GET', 429, '600')).toBeUndefined();
    expect(retryDelay('GET', 429, null)).toBeUndefined();
    expect(retryDelay('GET', 500, '1')).toBeUndefined();
    expect(retryDelay('PUT', 429, '1')).toBeUndefined();
  });

  it('sends user id -1 for a visitor, and bypasses the HTTP cache', async () => {
    localStorage.clear();
    const network = fakeFetch({ 'GET /api/things': success([]) });
    globalThis.fetch = network.answer;
    await createStore().dispatch(api.endpoints.listThings.initiate());
    expect(network.calls[0]?.headers.get('New-Api-User')).toBe('-1');
    expect(network.calls[0]?.headers.get('Cache-Control')).toBe('no-store');
  });
});
