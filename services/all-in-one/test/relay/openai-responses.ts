import { describe, expect, it } from '@jest/globals';
import { rowOf } from '../support/relay-site.js';
import { MODELS, type OfficialClientsWorld, TOOLS, UPSTREAMS } from './official-clients-world.js';

/** Upstreams with another dialect than OpenAI's. */
const others = UPSTREAMS.filter((name) => name !== 'openai');

/** The Responses API by the client of OpenAI. */
export function describeOpenAiResponses(world: OfficialClientsWorld): void {
  describe('openai, responses', () => {
    it.each(UPSTREAMS)('without streaming over %s, counted and charged', async (upstream) => {
      const { data, response } = await world.openai.responses
        .create({
          model: MODELS[upstream],
          instructions: 'Be kind',
          input: 'Greet the universe',
          max_output_tokens: 50,
        })
        .withResponse();
      expect(data).toMatchObject({ object: 'response', status: 'completed', error: null });
      expect(data.output_text).not.toBe('');
      const row = await rowOf(world.testBed, response.headers.get('x-oneapi-request-id') ?? '');
      expect(data.usage).toMatchObject({ input_tokens: row.prompt_tokens, output_tokens: row.completion_tokens });
      expect(row.quota).toBeGreaterThan(0);
      expect(row.other.usage_source).toBe('upstream');
    });

    it.each(UPSTREAMS)('streamed over %s, in the event order of OpenAI', async (upstream) => {
      const stream = world.openai.responses.stream({
        model: MODELS[upstream],
        input: [{ role: 'user', content: 'hello' }],
      });
      const types: string[] = [];
      const sequence: number[] = [];
      for await (const event of stream) {
        types.push(event.type);
        sequence.push(event.sequence_number);
      }
      expect(types.filter((type) => !type.endsWith('.delta'))).toEqual([
        ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
        ...[
          'response.output_text.done',
          'response.content_part.done',
          'response.output_item.done',
          'response.completed',
        ],
      ]);
      expect(sequence).toEqual(sequence.map((_, index) => index));
      const final = await stream.finalResponse();
      expect(final.output_text).not.toBe('');
      expect(final.usage?.output_tokens).toBeGreaterThan(0);
    });

    it('forwards requests and replies of OpenAI unchanged', async () => {
      const body = {
        model: MODELS.openai,
        input: 'x',
        store: true,
        previous_response_id: 'resp_1',
        include: [],
        own: 1.0,
      };
      const reply = await fetch(`${world.testBed.url}/v1/responses`, {
        ...{ method: 'POST', body: JSON.stringify(body) },
        headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      });
      expect(reply.status).toBe(200);
      expect(world.fake.journal().at(-1)).toMatchObject({ path: '/v1/responses', body });
      expect(await reply.json()).toMatchObject({ store: true });
    });

    it('carries tool calls and their results over Gemini', async () => {
      world.google.behave({ parts: [{ functionCall: { name: 'weather', args: { city: 'Ulm' } } }] });
      const asked = { model: MODELS.gemini, input: 'How is it in Ulm?', tools: TOOLS };
      const streamed = await world.openai.responses.stream(asked).finalResponse();
      for (const { output } of [await world.openai.responses.create(asked), streamed]) {
        expect(output).toEqual([
          expect.objectContaining({ type: 'function_call', name: 'weather', arguments: '{"city":"Ulm"}' }),
        ]);
      }
      const [call] = streamed.output;
      if (call?.type !== 'function_call') throw new Error('no call');
      world.google.behave({});
      const answer = await world.openai.responses.create({
        ...asked,
        input: [
          { role: 'user', content: 'How is it in Ulm?' },
          call,
          { type: 'function_call_output', call_id: call.call_id, output: '{"sky":"blue"}' },
        ],
      });
      expect(answer.output_text).not.toBe('');
      expect(world.google.calls.at(-1)?.body).toMatchObject({
        contents: [
          { role: 'user' },
          { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Ulm' } } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'weather' } }] },
        ],
      });
    });

    it.each(others)('refuses fields over %s that need stored state', async (upstream) => {
      for (const [name, value] of [
        ['previous_response_id', 'resp_1'],
        ['store', true],
        ['background', true],
      ] as const) {
        const refused = world.openai.responses.create({ model: MODELS[upstream], input: 'x', [name]: value } as never);
        await expect(refused).rejects.toMatchObject({
          status: 400,
          code: 'invalid_responses_request',
          message: expect.stringContaining(name),
        });
      }
    });

    it('gets errors of the upstream, broken streams and missing input reported', async () => {
      await expect(world.openai.responses.create({ model: MODELS.openai })).rejects.toMatchObject({
        ...{ status: 400, code: 'invalid_responses_request', message: expect.stringContaining('input is required') },
      });
      for (const upstream of ['openai', 'deepseek'] as const) {
        world.fake.control({ cutAfter: 3 });
        const cut = world.openai.responses.stream({ model: MODELS[upstream], input: 'hello' });
        await expect(cut.finalResponse()).rejects.toThrow();
        world.fake.reset();
        world.fake.failWith(400, 'no_such_thing');
        const failed = world.openai.responses.create({ model: MODELS[upstream], input: 'hello' });
        await expect(failed).rejects.toMatchObject({ status: 400, code: 'no_such_thing' });
        world.fake.reset();
      }
    });
  });
}
