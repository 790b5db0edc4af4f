import type { Server } from 'node:http';
import { describe, expect, it, jest } from '@jest/globals';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { readEnv } from '../config/env.js';
import { SecretBox } from '../crypto/secret-box.js';
import { Logger } from '../log/logger.js';
import { Metrics } from '../metrics/metrics.js';
import { createHttpApp } from './http-app.js';
import type { Host } from './host.js';
import { SeenRevisions } from './seen-revisions.js';

const loaded: string[] = [];
for (const name of ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'])
  jest.mock(name, () => {
    loaded.push(name);
    return jest.requireActual(name);
  });

@Controller('echo')
class EchoController {
  @Post()
  echo(@Body() body: object): object {
    return body;
  }
}
@Module({ controllers: [EchoController] })
class EchoModule {}

function makeApp(): ReturnType<typeof createHttpApp> {
  const revisions = new SeenRevisions();
  const host = { env: readEnv({}), secrets: new SecretBox('0'.repeat(64)), revisions } as unknown as Host;
  const logger = Logger.root('silent');
  const readModels = { areBehind: false, announce: () => Promise.resolve(undefined) } as never;
  return createHttpApp(EchoModule, { host, logger, metrics: new Metrics('gateway'), readModels, compresses: false });
}

describe('an application', () => {
  it('answers requests without Fastify’s compilers of JSON schemas', async () => {
    const app = await makeApp();
    await app.init();
    const reply = await app.inject({ method: 'POST', url: '/echo', payload: { a: 1 } });
    await app.close();
    expect([reply.statusCode, reply.json()]).toMatchObject([201, { data: { a: 1 } }]);
    expect(loaded).toEqual([]);
  });

  it('gives up requests whose head or body arrives too slowly', async () => {
    const app = await makeApp();
    const { headersTimeout, requestTimeout } = app.getHttpServer() as Server;
    await app.close();
    // Node looks for such connections every 30 s.
    expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 60_000, requestTimeout: 120_000 });
  });
});
