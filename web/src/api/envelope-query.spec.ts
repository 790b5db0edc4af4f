import { describe, expect, it } from '@jest/globals';
import { fakeFetch, json, refusal, success } from '../testing/fake-fetch.js';
import { signedIn } from '../app/slices/session.js';
import { createStore } from '../app/store.js';
import { describeError } from './api-error.js';
import { injectEndpoints } from './base-api.js';
import { retryDelay } from './envelope-query.js';
import { selfApi } from './self.api.js';
import type { Rows } from './paged.js';
import { rowsOfArray } from './paged.js';

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

  it.each([
    [502, { status: 502, message: 'HTTP 502' }],
    [200, { status: 0 }],
  ])('names no parser where something on the way answers %d with a page of its own', async (status, expected) => {
    const page = new Response('<html>Bad gateway</html>', { status, headers: { 'content-type': 'text/html' } });
    globalThis.fetch = fakeFetch({ 'POST /api/things': page }).answer;
    const { error } = await createStore().dispatch(api.endpoints.makeThing.initiate());
    expect(error).toMatchObject(expected);
    expect(describeError(error)).not.toContain('SyntaxError');
  });

  it('repeats a GET once when the server says how soon, and no other call', async () => {
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

  describe('a refused session', () => {
    const ann = { id: 2, username: 'ann', display_name: 'Ann', role: 10, status: 1, group: 'default' };
    const bob = { ...ann, id: 3, username: 'bob' };
    const unknown = () => json(refusal('Expired', 'not-signed-in', { kind: 'unauthenticated' }), 401);
    const storedUser = () => JSON.parse(localStorage.getItem('user') ?? 'null') as { id: number } | null;

    it('ends the session of who asked', async () => {
      localStorage.setItem('user', JSON.stringify(ann));
      globalThis.fetch = fakeFetch({ 'GET /api/things': unknown }).answer;
      const store = createStore();
      await store.dispatch(api.endpoints.listThings.initiate());
      expect(store.getState().session).toMatchObject({ user: null, expired: true });
      expect(storedUser()).toBeNull();
    });

    it('leaves a person alone who signed in meanwhile', async () => {
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

    it('follows the person who signed in from another tab', async () => {
      localStorage.setItem('user', JSON.stringify(ann));
      globalThis.fetch = fakeFetch({ 'GET /api/things': unknown }).answer;
      const store = createStore();
      localStorage.setItem('user', JSON.stringify(bob));
      await store.dispatch(api.endpoints.listThings.initiate());
      expect(store.getState().session).toMatchObject({ user: { id: 3 }, expired: false });
      expect(storedUser()?.id).toBe(3);
    });

    it('of a banned person is asked for once and ends with the reason', async () => {
      localStorage.setItem('user', JSON.stringify(ann));
      const network = fakeFetch({ 'GET /api/user/self': refusal('Banned', 'user-banned', { kind: 'forbidden' }) });
      globalThis.fetch = network.answer;
      const store = createStore();
      const self = store.dispatch(selfApi.endpoints.getSelf.initiate());
      await self;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(network.calls).toHaveLength(1);
      expect(store.getState().session).toMatchObject({ user: null, expired: true });
      expect(store.getState().toasts.map(({ error }) => error?.message)).toEqual(['Banned']);
      self.unsubscribe();
    });
  });

  it('does not wait for ever or for nothing', () => {
    expect(retryDelay('GET', 429, '2')).toBe(2000);
    expect(retryDelay('GET', 429, '600')).toBeUndefined();
    expect(retryDelay('GET', 429, null)).toBeUndefined();
    expect(retryDelay('GET', 500, '1')).toBeUndefined();
    expect(retryDelay('PUT', 429, '1')).toBeUndefined();
  });

  it('sends -1 for a visitor and asks for nothing cached', async () => {
    localStorage.clear();
    const network = fakeFetch({ 'GET /api/things': success([]) });
    globalThis.fetch = network.answer;
    await createStore().dispatch(api.endpoints.listThings.initiate());
    expect(network.calls[0]?.headers.get('New-Api-User')).toBe('-1');
    expect(network.calls[0]?.headers.get('Cache-Control')).toBe('no-store');
  });
});
