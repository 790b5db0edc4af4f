import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { QuotaData } from '@tollgate/contracts/api/log';
import { type FakeUpstream, type Person, type Site, startFakeUpstream } from '@tollgate/testing';
import { LiveReader } from './live-reader.js';
import { ask } from './relay-site.js';

const MODEL = 'gpt-4o';

/** What live streams send to whom; the same however the product is run. */
export const describeLiveUpdates = (where: string, open: () => Promise<Site>, isOneProcess: boolean): void =>
  describe(`live updates, ${where}`, () => {
    let site: Site;
    let upstream: FakeUpstream;
    let ann: Person;
    let bob: Person;
    let key: string;
    let marks = 0;
    let readers: LiveReader[] = [];
    let channelId: number;

    beforeAll(async () => {
      upstream = await startFakeUpstream();
      site = await open();
      await reportsWhatHappens();
      const from = Date.now();
      channelId = await site.channel({ name: 'lively', base_url: upstream.url, models: MODEL });
      ann = await site.user('liveann', 10_000_000);
      bob = await site.user('livebob', 10_000_000);
      key = await site.token(ann);
      // Waits for the first log rows and balances of the new users, which would otherwise arrive during a test.
      for (const person of [ann, bob]) {
        const reader = await watch(person, { missed: Date.now() - from });
        await reader.hears('usage');
        await reader.hears('user');
        await reader.close();
      }
    }, 60_000);
    afterEach(async () => {
      await Promise.all(readers.map((reader) => reader.close()));
      readers = [];
    });
    afterAll(async () => {
      // Other tests of this site must not use a channel whose upstream is gone.
      await site?.root.data('DELETE', `/api/channel/${channelId}`);
      await upstream?.close();
    });

    const watch = async (person: Person, options: Parameters<typeof LiveReader.open>[1] = {}): Promise<LiveReader> => {
      const reader = await LiveReader.open(person, options);
      readers.push(reader);
      return reader;
    };
    /** Every stream gets a changed status, so a stream that has received it has received all earlier messages. */
    const mark = (): Promise<unknown> =>
      site.root.data('PUT', '/api/option/', { key: 'SystemName', value: `Marked ${(marks += 1)}` });
    /** Opens streams after all messages about earlier actions have arrived. */
    const watchQuietly = async (...people: Person[]): Promise<LiveReader[]> => {
      const first = await Promise.all(people.map((person) => watch(person)));
      await mark();
      await Promise.all(first.map((reader) => reader.hears('status')));
      const quiet = await Promise.all(people.map((person) => watch(person)));
      await Promise.all(first.map((reader) => reader.close()));
      return quiet;
    };
    /**
     * Waits until a stream that missed nothing is told of nothing. A gateway reports every kind as changed for a time
     * before its start, and takes every gap to be a second longer than stated.
     */
    const reportsWhatHappens = async (): Promise<void> => {
      for (;;) {
        const reader = await watch(site.root, { missed: 1 });
        await mark();
        await reader.hears('status');
        await reader.close();
        if (!reader.heard.includes('channels')) return;
      }
    };
    const call = async (): Promise<void> => {
      const reply = await ask(site.url, { dialect: 'openai', key, prompt: 'three plain words' });
      expect(reply.status).toBe(200);
      await reply.text();
    };

    it('are an event stream that no proxy buffers or compresses', async () => {
      const { reply, text } = await watch(ann);
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
      expect(reply.headers.get('content-encoding')).toBeNull();
      expect(reply.headers.get('x-accel-buffering')).toBe('no');
      expect(reply.headers.get('cache-control')).toContain('no-store');
      expect(reply.headers.get('x-oneapi-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(text).not.toContain('data:');
    });

    it('announce a finished request to its owner and administrators only, once its sums are stored', async () => {
      const [own, other, chief] = (await watchQuietly(ann, bob, site.root)) as [LiveReader, LiveReader, LiveReader];
      await call();
      await own.hears('usage');
      // Reads only once: what a message announces must be committed.
      const sums = await ann.data<QuotaData[]>('GET', '/api/data/self/?default_time=hour');
      expect(sums.reduce((total, { count }) => total + count, 0)).toBeGreaterThan(0);
      await chief.hears('usage');
      await own.hears('user');
      await mark();
      await other.hears('status');
      expect(other.heard).not.toContain('usage');
      expect(chief.heard).not.toContain('user');
      expect(own.heard).not.toContain('channels');
    });

    it('announce a new balance to its user only', async () => {
      const [own, other] = (await watchQuietly(ann, bob)) as [LiveReader, LiveReader];
      await site.root.data('PUT', '/api/user/', {
        id: ann.id,
        username: 'liveann',
        group: 'default',
        quota: 20_000_000,
      });
      await own.hears('user');
      expect(await ann.data('GET', '/api/user/self')).toMatchObject({ quota: 20_000_000 });
      await mark();
      await other.hears('status');
      // Twice if its gateway is told late of the mark before.
      expect(new Set(other.heard)).toEqual(new Set(['status']));
    });

    it('announce channels to administrators only', async () => {
      const [own, chief] = (await watchQuietly(ann, site.root)) as [LiveReader, LiveReader];
      await site.channel({ name: `another ${marks}`, base_url: upstream.url, models: 'other-model' });
      await chief.hears('channels');
      await mark();
      await own.hears('status');
      // The log row of the new balance may arrive only now.
      expect(own.heard).not.toContain('channels');
    });

    it('announce a public option to everybody, and other options to nobody', async () => {
      const [own] = (await watchQuietly(bob)) as [LiveReader];
      await site.root.data('PUT', '/api/option/', { key: 'QuotaRemindThreshold', value: String(1000 + marks) });
      await site.root.data('PUT', '/api/option/', { key: 'SystemName', value: 'Toll Bridge' });
      const shown = async (): Promise<string> =>
        (await bob.data<{ system_name: string }>('GET', '/api/status')).system_name;
      await own.hears('status');
      // With several replicas, the last one to apply the option sends the message again; one may be of the mark before.
      for (let times = 2; (await shown()) !== 'Toll Bridge'; times += 1) await own.hears('status', times);
      expect(isOneProcess ? own.heard : [...new Set(own.heard)]).toEqual(['status']);
    });

    it('begin with the changes missed since the last connection', async () => {
      const [own, chief] = (await watchQuietly(ann, site.root)) as [LiveReader, LiveReader];
      await Promise.all([call(), mark()]);
      await Promise.all([own.hears('usage'), chief.hears('usage'), own.hears('status'), chief.hears('status')]);
      await own.hears('user');
      const [again, nothing] = await Promise.all([watch(ann, { missed: 60_000 }), watch(ann, { missed: 0 })]);
      await again.hears('usage');
      await again.hears('status');
      expect(again.heard).not.toContain('channels');
      expect(nothing.heard).toEqual([]);
    });

    it('end when their reader signs out, and not for others', async () => {
      const leaving = site.visitor();
      await leaving.signIn('liveann', 'liveann has a password'.slice(0, 20));
      const [own, stays] = await Promise.all([watch(leaving), watch(ann)]);
      await leaving.data('GET', '/api/user/logout');
      await own.ends();
      await mark();
      await stays.hears('status');
    });

    it('end when their reader is banned, and are refused from then on', async () => {
      const banned = await site.user(`banned${marks}`, 1000);
      const own = await watch(banned);
      await site.root.data('POST', '/api/user/manage', { id: banned.id, action: 'disable' });
      await own.ends();
      const again = await watch(banned);
      expect(JSON.parse(again.text)).toMatchObject({ success: false });
    });

    it('end when an administrator is demoted', async () => {
      const name = `demoted${marks}`;
      const demoted = await site.user(name, 1000);
      await site.root.data('POST', '/api/user/manage', { id: demoted.id, action: 'promote' });
      await demoted.signIn(name, `${name} has a password`.slice(0, 20));
      const [own] = (await watchQuietly(demoted)) as [LiveReader];
      await site.root.data('POST', '/api/user/manage', { id: demoted.id, action: 'demote' });
      await own.ends();
      await site.channel({ name: `unseen ${marks}`, base_url: upstream.url, models: 'other-model' });
      expect(own.heard).not.toContain('channels');
    });

    it('are refused with an access token', async () => {
      const accessToken = await ann.data<string>('GET', '/api/user/token');
      const stranger = site.visitor();
      const refused = await watch(stranger, {
        headers: { authorization: accessToken, 'new-api-user': String(ann.id) },
      });
      expect(refused.reply.status).toBe(400);
      expect(JSON.parse(refused.text)).toMatchObject({ code: 'access-token-not-supported' });
    });
  });
