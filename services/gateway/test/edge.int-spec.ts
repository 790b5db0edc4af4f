import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gateway } from '@tollgate/gateway';
import { type ServiceHarness, startServices } from '@tollgate/testing';

describe('the gateway itself', () => {
  let testBed: ServiceHarness;
  beforeAll(async () => {
    testBed = await startServices([gateway]);
  }, 60_000);
  afterAll(() => testBed.close());

  const get = (url: string): Promise<{ statusCode: number; payload: string; headers: Record<string, unknown> }> =>
    testBed.host.instances.get('gateway')!.inject({ method: 'GET', url });

  it('answers unknown API paths with an error in the form of OpenAI', async () => {
    const reply = await get('/api/nothing');
    expect(reply.statusCode).toBe(404);
    expect(JSON.parse(reply.payload).error).toEqual({
      message: 'Invalid URL (GET /api/nothing)',
      type: 'invalid_request_error',
      param: '',
      code: '',
    });
  });

  it.each(['/api/token/%ff', '/%ff'])('answers the invalid escape %s in that form too', async (url) => {
    const reply = await get(url);
    const message = `Invalid URL (GET ${url})`;
    expect(reply.statusCode).toBe(400);
    expect(JSON.parse(reply.payload)).toEqual({
      error: { message, type: 'invalid_request_error', param: '', code: '' },
      success: false,
      message,
    });
    expect(reply.headers['x-oneapi-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers an invalid escape in the path of a model call in its dialect', async () => {
    const json = async (url: string): Promise<object> => JSON.parse((await get(url)).payload) as object;
    expect(await json('/v1/models/%ff')).toMatchObject({ error: { type: 'invalid_request_error', code: '' } });
    expect(await json('/v1beta/models/%ff')).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
    expect(await json('/mj/task/%ff/fetch')).toMatchObject({ type: 'upstream_error', code: 4 });
  });

  it('sends a request id with every reply', async () => {
    expect((await get('/healthz')).headers['x-oneapi-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});
