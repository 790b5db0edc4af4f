import { describe, expect, it } from '@jest/globals';
import type { RefusalWorld } from './refusal-world.js';

const MODEL_LIST = ['claude-3-7-sonnet-20250219', 'gpt-4o', 'gpt-4o-mini', 'unpriced'];

/** The models that a key may call, as the clients of OpenAI and Anthropic list them. */
export function describeModelList(world: RefusalWorld): void {
  describe('the list of models', () => {
    const list = async (
      headers: Record<string, string>,
      path = '/v1/models',
    ): Promise<[number, Record<string, unknown>]> => {
      const reply = await fetch(`${world.testBed.url}${path}`, { headers });
      return [reply.status, (await reply.json()) as Record<string, unknown>];
    };

    it('has the documented form for clients of OpenAI', async () => {
      const [status, body] = await list({ authorization: `Bearer ${world.key}` });
      expect([status, body.success, body.object]).toEqual([200, true, 'list']);
      const data = body.data as { id: string }[];
      expect(data.map(({ id }) => id)).toEqual(MODEL_LIST);
      expect(data[1]).toEqual({
        id: 'gpt-4o',
        object: 'model',
        created: 1626777600,
        owned_by: 'openai',
        permission: [
          {
            id: 'modelperm-LwHkVFn8AcMItP432fKKDIKJ',
            object: 'model_permission',
            created: 1626777600,
            allow_create_engine: true,
            allow_sampling: true,
            allow_logprobs: true,
            allow_search_indices: false,
            allow_view: true,
            allow_fine_tuning: false,
            organization: '*',
            group: null,
            is_blocking: false,
          },
        ],
        root: 'gpt-4o',
        parent: null,
      });
      expect(data.at(-1)).toMatchObject({ id: 'unpriced', owned_by: 'custom' });
    });

    it('has the form of Anthropic for its clients', async () => {
      const [, body] = await list({ 'x-api-key': world.key, 'anthropic-version': '2023-06-01' });
      expect(body).toMatchObject({ has_more: false, first_id: MODEL_LIST[0], last_id: 'unpriced' });
      expect((body.data as unknown[])[1]).toEqual({
        type: 'model',
        id: 'gpt-4o',
        display_name: 'gpt-4o',
        created_at: '2021-07-20T10:40:00.000Z',
      });
    });

    it('comes in pages where a client of Anthropic or Gemini asks for them', async () => {
      const anthropic = { 'x-api-key': world.key, 'anthropic-version': '2023-06-01' };
      const [, page] = await list(anthropic, '/v1/models?limit=2&after_id=gpt-4o');
      expect(page).toMatchObject({ has_more: false, first_id: 'gpt-4o-mini', last_id: 'unpriced' });
      const [, before] = await list(anthropic, '/v1/models?limit=1&before_id=gpt-4o-mini');
      expect(before).toMatchObject({ data: [{ id: 'gpt-4o' }], has_more: true });
      expect(await list(anthropic, '/v1/models?limit=0')).toMatchObject([
        400,
        { type: 'error', error: { message: expect.stringContaining('limit is invalid') } },
      ]);

      const gemini = { 'x-goog-api-key': world.key };
      const [, first] = await list(gemini, '/v1beta/models?pageSize=3');
      const [, rest] = await list(gemini, `/v1beta/models?pageSize=3&pageToken=${String(first.nextPageToken)}`);
      expect(rest).toEqual({ models: [expect.objectContaining({ name: 'models/unpriced' })] });
      expect(await list(gemini, '/v1beta/models?pageToken=zzz')).toMatchObject([
        400,
        { error: { code: 400, status: 'INVALID_ARGUMENT' } },
      ]);
    });

    it('contains only models that the key may call, as does the call for one model', async () => {
      const own = await world.testBed.token(world.user, {
        model_limits_enabled: true,
        model_limits: 'gpt-4o,unheard-of',
      });
      const [, body] = await list({ authorization: `Bearer ${own}` });
      expect((body.data as { id: string }[]).map(({ id }) => id)).toEqual(['gpt-4o']);
      expect((await list({ authorization: `Bearer ${own}` }, '/v1/models/gpt-4o'))[0]).toBe(200);
      const [status, missing] = await list({ authorization: `Bearer ${own}` }, '/v1/models/gpt-4o-mini');
      expect([status, missing]).toMatchObject([
        404,
        { error: { type: 'invalid_request_error', param: 'model', code: 'model_not_found' } },
      ]);
    });
  });
}
