import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { allEvents, allRoutes } from '@tollgate/contracts';
import type { OpenApiDocument } from '@tollgate/chassis';
import { type ServiceHarness, startServices } from '@tollgate/testing';

describe('the API documents of the gateway', () => {
  let harness: ServiceHarness;
  beforeAll(async () => {
    // Only two services run; the others behave as if they were elsewhere and unreachable.
    harness = await startServices(allServices.filter(({ name }) => name === 'identity' || name === 'gateway'));
  }, 60_000);
  afterAll(() => harness.close());

  const get = async (url: string) => {
    const instance = harness.host.instances.get('gateway');
    if (!instance) throw new Error('the gateway does not run');
    return instance.inject({ method: 'GET', url });
  };

  it('merge the calls of all services', async () => {
    const reply = await get('/api/openapi.json');
    expect(reply.statusCode).toBe(200);
    const document = reply.json<OpenApiDocument>();
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.paths['/api/user']?.post).toMatchObject({
      operationId: 'createUser',
      requestBody: { content: { 'application/json': { schema: { required: ['username', 'password'] } } } },
    });
  });

  it('list the calls of an unreachable service too', async () => {
    const document = (await get('/api/openapi.json')).json<OpenApiDocument>();
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      allRoutes.map(({ operationId }) => operationId).sort(),
    );
  });

  it('include the catalogue of events', async () => {
    const document = (await get('/api/asyncapi.json')).json<{ asyncapi: string; channels: object }>();
    expect(document.asyncapi).toBe('3.0.0');
    expect(Object.keys(document.channels)).toEqual(allEvents.map(({ name }) => name));
  });

  it('have a page that loads only local files and has no inline script', async () => {
    const page = await get('/api/docs/');
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect(page.payload).not.toMatch(/https?:\/\//);
    const loaded = [...page.payload.matchAll(/<(script|link)[^>]*?(?:src|href)="([^"]+)"[^>]*>(.?)/g)];
    expect(loaded).toHaveLength(3);
    for (const [, tag, url = '', next] of loaded) {
      const file = await get(url);
      expect([url, file.statusCode, file.headers['x-content-type-options']]).toEqual([url, 200, 'nosniff']);
      expect(file.payload.length).toBeGreaterThan(100);
      if (tag === 'script') expect(next).toBe('<');
    }
  });

  it('are compressed for clients that accept it', async () => {
    const instance = harness.host.instances.get('gateway');
    const url = '/api/docs/assets/swagger-ui-bundle.js';
    const packed = await instance?.inject({ method: 'GET', url, headers: { 'accept-encoding': 'gzip' } });
    expect(packed?.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed?.rawPayload ?? Buffer.alloc(0)).toString()).toBe((await get(url)).payload);
  });

  it('include no other file', async () => {
    for (const name of ['package.json', 'index.html', '..%2f..%2fpackage.json']) {
      expect([name, (await get(`/api/docs/assets/${name}`)).statusCode]).toEqual([name, 404]);
    }
  });
});
