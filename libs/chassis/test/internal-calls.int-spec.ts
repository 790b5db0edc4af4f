import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Module, Req } from '@nestjs/common';
import { defineCall } from '@tollgate/contracts';
import { type ServiceHarness, startServices } from '@tollgate/testing';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  AppError,
  HttpInternalClient,
  signForwarded,
  CallPass,
  ReadModels,
  InProcessInternalClient,
  type InternalClient,
  RawReply,
  Answers,
  parseServices,
  ServiceDirectory,
  SecretBox,
  defineService,
  type Listener,
  listen,
  Logger,
} from '@tollgate/chassis';

const double = defineCall({
  service: 'billing',
  name: 'double',
  input: z.object({ number: z.number() }),
  output: z.object({ number: z.number() }),
});
const source = defineCall({ ...double, name: 'source', isSource: true });
const log = Logger.root('silent');

@Controller()
class Answerer {
  calls = 0;

  @Answers(double)
  answer(@Body({ schema: double.input }) { number }: { number: number }): { number: number } {
    this.calls += 1;
    if (number < 0) {
      throw new AppError('insufficient-quota', 'too-poor', '余额不足', { params: { number }, retryAfter: 7 });
    }
    if (number === 13) throw new Error('a bug');
    return { number: number * 2 };
  }

  @Answers(source)
  source(): { number: number } {
    return { number: 0 };
  }

  @Get('/whoami')
  whoami(@Req() { ip, protocol, host, id }: FastifyRequest): RawReply {
    return new RawReply({ ip, protocol, host, id });
  }
}

@Module({ controllers: [Answerer] })
class AnswererModule {}

const asError = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => new AppError('internal', 'no-error', 'it did not fail'),
    (error: unknown) => error as AppError,
  );

describe('calls between services', () => {
  let testBed: ServiceHarness;
  let listener: Listener;
  let origin: string;
  const directories: ServiceDirectory[] = [];

  beforeAll(async () => {
    testBed = await startServices([defineService({ name: 'billing', module: AnswererModule })]);
    listener = await listen(testBed.process.services.get('billing')!.app, '127.0.0.1', 0);
    origin = `http://127.0.0.1:${listener.port}`;
  }, 60_000);
  afterAll(async () => {
    await Promise.all(directories.map((directory) => directory.close()));
    await listener?.drain(0);
    await testBed?.close();
  });

  function overHttp(
    services: string,
    { secrets = testBed.host.secrets, isPatient = (): boolean => false, seen = '' } = {},
  ): InternalClient {
    const directory = new ServiceDirectory(parseServices(services), log);
    directories.push(directory);
    return new HttpInternalClient({ directory, pass: new CallPass(secrets, 'relay', { header: seen }), isPatient });
  }

  const clients: [string, () => InternalClient][] = [
    ['over HTTP', () => overHttp(`billing=${origin}`)],
    [
      'in one process',
      () =>
        new InProcessInternalClient(testBed.host.instances, new CallPass(testBed.host.secrets, 'relay'), overHttp('')),
    ],
  ];

  describe.each(clients)('%s', (_, make) => {
    it('answer with what the contract promises', async () => {
      expect(await make().call(double, { number: 21 })).toEqual({ number: 42 });
    });

    it('throw the refusal of the called service unchanged', async () => {
      const error = await asError(make().call(double, { number: -1 }));
      expect(error).toBeInstanceOf(AppError);
      expect([error.kind, error.code, error.message]).toEqual(['insufficient-quota', 'too-poor', '余额不足']);
      expect(error.details).toMatchObject({ params: { number: -1 }, retryAfter: 7 });
    });

    it('distinguish an unknown call from an unknown caller', async () => {
      const error = await asError(make().call({ ...double, name: 'from-a-later-version' }, { number: 1 }));
      // Of no lasting kind, because an older replica will be replaced: an event whose handler made the call must wait.
      expect([error.kind, error.code]).toEqual(['unavailable', 'unknown-path']);
    });

    it('do not reveal the message of a bug', async () => {
      const error = await asError(make().call(double, { number: 13 }));
      expect([error.kind, error.message.includes('a bug')]).toEqual(['internal', false]);
    });
  });

  it('are answered with at least the revisions that the caller has seen, unless read models are filled from the reply', async () => {
    let revision = 3;
    let asked = 0;
    testBed.process.services
      .get('billing')!
      .app.get(ReadModels)
      .add({
        name: 'price',
        revision: () => revision,
        catchUp() {
          asked += 1;
          revision = 5;
          return Promise.resolve();
        },
      });
    const services = `billing=${origin}`;
    await overHttp(services, { seen: 'price=3' }).call(double, { number: 1 });
    await overHttp(services, { seen: 'price=5' }).call(source, { number: 1 });
    expect(asked).toBe(0);
    await overHttp(services, { seen: 'option=9,price=5' }).call(double, { number: 1 });
    expect([asked, revision]).toEqual([1, 5]);
    await overHttp(services).call(double, { number: 1 });
    expect(asked).toBe(1);
  });

  it('try another replica when one refuses the connection, and leave that one out for a while', async () => {
    const client = overHttp(`billing=http://127.0.0.1:1|${origin}`);
    const numbers = await Promise.all(Array.from({ length: 12 }, (_, number) => client.call(double, { number })));
    expect(numbers.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, number) => number * 2));
  });

  it('say which service cannot be reached', async () => {
    const error = await asError(overHttp('billing=http://127.0.0.1:1').call(double, { number: 1 }));
    expect([error.kind, error.details.params]).toEqual(['unavailable', { service: 'billing' }]);
  });

  it('wait for a service that is not there yet while their own is starting', async () => {
    let tries = 0;
    const client = overHttp('billing=http://127.0.0.1:1', { isPatient: () => (tries += 1) < 4 });
    const started = performance.now();
    expect((await asError(client.call(double, { number: 1 }))).kind).toBe('unavailable');
    expect(tries).toBe(4);
    expect(performance.now() - started).toBeGreaterThan(700);
  });

  it('count a reply in the shape of another version as a service that is not available', async () => {
    const later = { ...double, output: z.object({ number: z.number(), added: z.string() }) };
    const error = await asError(overHttp(`billing=${origin}`).call(later, { number: 21 }));
    expect([error.kind, error.code]).toEqual(['unavailable', 'service-unreachable']);
  });

  it('are refused without the signature of this installation', async () => {
    const foreign = new SecretBox('the secret of another installation');
    const error = await asError(overHttp(`billing=${origin}`, { secrets: foreign }).call(double, { number: 1 }));
    expect([error.kind, error.code]).toEqual(['unavailable', 'service-unknown']);
    expect(error.message).toContain('请检查各进程的密钥');
  });

  describe('who a forwarded request comes from', () => {
    const whoami = async (headers: Record<string, string>): Promise<Record<string, string>> =>
      (await (await fetch(`${origin}/whoami`, { headers })).json()) as Record<string, string>;
    const facts = {
      requestId: 'minted-by-the-gateway',
      address: '203.0.113.9',
      protocol: 'https',
      host: 'shop.example',
      local: false,
    } as const;

    it('is what the gateway signed', async () => {
      const signed = signForwarded(testBed.host.secrets, facts);
      expect(await whoami({ 'x-tollgate-forwarded': signed })).toEqual({
        ip: '203.0.113.9',
        protocol: 'https',
        host: 'shop.example',
        id: 'minted-by-the-gateway',
      });
    });

    it('is never what a client claims', async () => {
      const forged = signForwarded(new SecretBox('the secret of another installation'), facts);
      const claims = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https', 'x-oneapi-request-id': 'mine' };
      const answer = await whoami({ 'x-tollgate-forwarded': forged, ...claims });
      expect(answer).toMatchObject({ ip: '127.0.0.1', protocol: 'http' });
      expect(answer.id).toMatch(/^[0-9a-f-]{36}$/);
    });
  });
});
