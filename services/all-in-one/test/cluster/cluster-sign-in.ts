import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Delivery } from '@tollgate/contracts/api/delivery';
import {
  type ApiReply,
  type FakeUpstream,
  passwordOf,
  Person,
  readUntil,
  type Site,
  SoftAuthenticator,
  startFakeUpstream,
  type TestCertificates,
} from '@tollgate/testing';
import { Secret, TOTP } from 'otpauth';
import type { Cluster } from './cluster.js';
import { ask } from '../support/relay-site.js';

type Options = Parameters<SoftAuthenticator['create']>[0] & Parameters<SoftAuthenticator['get']>[0];

interface Stage {
  cluster: Cluster;
  site: Site;
  /** Certificates for `localhost` by an authority that the processes trust. */
  certificates: TestCertificates;
}

const STEP_MS = 30_000;
/** A model that no other test of the cluster uses. */
const MODEL = 'gpt-4-32k';

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listening = async (server: Server): Promise<Server> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
};

/** A user whose calls alternate between the gateways. */
class Wanderer extends Person {
  private turn = 0;

  constructor(private readonly gateways: readonly string[]) {
    super(gateways[0] ?? '');
  }

  override async call<T = unknown>(...call: Parameters<Person['call']>): Promise<ApiReply<T>> {
    this.turn += 1;
    const next = new Person(this.gateways[this.turn % this.gateways.length] ?? this.url);
    Object.assign(next, { id: this.id, cookie: this.cookie });
    const reply = await next.call<T>(...call);
    this.cookie = next.cookie;
    return reply;
  }
}

/** Sign-ins that begin on one replica and continue on another. */
export function describeSignIn(stage: () => Stage): void {
  describe('second factors and webhooks in a cluster', () => {
    let upstream: FakeUpstream;
    let channelId: number;
    beforeAll(async () => {
      const { cluster, site } = stage();
      upstream = await startFakeUpstream({ behaviour: { tokens: 10 } });
      channelId = await site.channel({ name: 'webhooks', base_url: upstream.url, models: MODEL });
      await site.root.data('PUT', '/api/option/', { key: 'ServerAddress', value: cluster.url });
    }, 60_000);
    afterAll(async () => {
      // Later tests that use the model must not be routed to an upstream that is gone.
      await stage().site.root.call('DELETE', `/api/channel/${channelId}`);
      await upstream?.close();
    });

    const wanderer = (): Wanderer => {
      const gateways = stage()
        .cluster.run()
        .processes.filter(({ service }) => service === 'gateway')
        .map(({ port }) => `http://127.0.0.1:${port}`);
      expect(gateways.length).toBeGreaterThan(1);
      return new Wanderer(gateways);
    };
    const signIn = (person: Person, username: string) =>
      person.call('POST', '/api/user/login', { username, password: passwordOf(username) });

    it('accept a code once over two replicas', async () => {
      const { site } = stage();
      const { id } = await site.user('twofactor', 0);
      const owner = wanderer();
      owner.id = id;
      expect((await signIn(owner, 'twofactor')).body).toMatchObject({ success: true, data: { id } });
      const { secret } = await owner.data<{ secret: string }>('POST', '/api/user/self/2fa/setup', {
        password: passwordOf('twofactor'),
      });
      const app = new TOTP({ secret: Secret.fromBase32(secret) });
      const first = app.generate();
      const { recovery_codes: recovery } = await owner.data<{ recovery_codes: string[] }>(
        'POST',
        '/api/user/self/2fa/enable',
        { code: first },
      );

      const visits = await Promise.all(
        [1, 2].map(async () => {
          const visitor = wanderer();
          const asked = await signIn(visitor, 'twofactor');
          expect(asked.body).toMatchObject({ success: true, data: { require_2fa: true } });
          return visitor;
        }),
      );
      const again = await Promise.all(
        visits.map((visitor) => visitor.call('POST', '/api/user/login/2fa', { code: first })),
      );
      expect(again.map(({ body }) => body.success)).toEqual([false, false]);
      // Uses the code of the next time step, which is already accepted for clocks that are fast, instead of waiting for
      // it.
      const code = app.generate({ timestamp: Date.now() + STEP_MS });
      const entered = await Promise.all(visits.map((visitor) => visitor.call('POST', '/api/user/login/2fa', { code })));
      expect(entered.filter(({ body }) => body.success)).toHaveLength(1);
      const inside = visits[entered.findIndex(({ body }) => body.success)] ?? owner;
      inside.id = id;
      for (let turn = 0; turn < 4; turn += 1)
        expect(await inside.data('GET', '/api/user/self')).toMatchObject({ two_factor: true });

      const spends = await Promise.all(
        [1, 2].map(async () => {
          const visitor = wanderer();
          await signIn(visitor, 'twofactor');
          return visitor.call('POST', '/api/user/login/2fa', { code: recovery[0] });
        }),
      );
      expect(spends.filter(({ body }) => body.success)).toHaveLength(1);
    }, 90_000);

    it('sign in by a passkey challenge of one replica answered at another', async () => {
      const { cluster, site } = stage();
      const { id } = await site.user('passkeys', 0);
      const owner = wanderer();
      owner.id = id;
      await signIn(owner, 'passkeys');
      const key = new SoftAuthenticator(cluster.url);
      const begun = await owner.data<Options>('POST', '/api/user/self/passkey/begin', {
        password: passwordOf('passkeys'),
      });
      await owner.data('POST', '/api/user/self/passkey', { name: 'phone', response: key.create(begun) });

      const visitor = wanderer();
      const options = await visitor.data<Options>('POST', '/api/user/passkey/login/begin', {});
      const response = key.get(options);
      const finish = (person: Person) => person.call('POST', '/api/user/passkey/login/finish', { response });
      const copy = Object.assign(wanderer(), { cookie: visitor.cookie });
      const answers = await Promise.all([finish(visitor), finish(copy)]);
      // A challenge is accepted only once, on whichever replica.
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
      expect(answers.find(({ body }) => body.success)?.body.data).toMatchObject({ id });
    }, 90_000);

    it('do not follow a redirect of a webhook', async () => {
      const { cluster, site, certificates } = stage();
      let reached = 0;
      const inner = await listening(createHttpServer((_, response) => response.end(String((reached += 1)))));
      const tls = { key: readFileSync(certificates.key), cert: readFileSync(certificates.certificate) };
      // A further attempt may still come while the servers close.
      const location = `http://127.0.0.1:${portOf(inner)}/latest/meta-data`;
      const hook = await listening(
        createHttpsServer(tls, (_, response) => void response.writeHead(307, { location }).end()),
      );
      try {
        const owner = await site.user('hooked', 10_000);
        const key = await site.token(owner);
        await owner.data('PUT', '/api/user/setting', {
          ...{ notify_type: 'webhook', quota_warning_threshold: 9_999, webhook_secret: 'said to nobody' },
          webhook_url: `https://localhost:${portOf(hook)}/notices`,
        });
        const call = () => ask(cluster.url, { dialect: 'openai', key, prompt: 'hello', body: { model: MODEL } });
        expect((await call()).status).toBe(200);
        const seen = await readUntil(
          () => owner.data<{ items: Delivery[] }>('GET', '/api/delivery/self'),
          // A first attempt may have timed out on a busy machine.
          ({ items }) => items.some(({ attempts, reason }) => attempts > 1 && reason.includes('307')),
          45_000,
        );
        expect(seen.items).toMatchObject([{ via: 'webhook', kind: 'quota_exceed', reason: '对方返回 HTTP 307' }]);
        expect(reached).toBe(0);
      } finally {
        for (const server of [hook, inner]) server.close();
      }
    }, 90_000);
  });
}
