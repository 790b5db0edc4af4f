import { describe, expect, it } from '@jest/globals';
import { logRows, rowOf } from '../support/relay-site.js';
import { MODELS, type OfficialClientsWorld, TOOLS, UPSTREAMS } from './official-clients-world.js';

/** Calls by the client of Google. */
export function describeGoogleGenAi(world: OfficialClientsWorld): void {
  describe('@google/genai', () => {
    const contents = 'Greet the universe';

    it.each(UPSTREAMS)('whole and streamed over %s', async (upstream) => {
      const model = MODELS[upstream];
      const config = { systemInstruction: 'Be kind', maxOutputTokens: 50, temperature: 0.5 };
      const whole = await world.genai.models.generateContent({ model, contents, config });
      expect(whole.text).not.toBe('');
      expect(whole.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
      let text = '';
      for await (const chunk of await world.genai.models.generateContentStream({ model, contents, config }))
        text += chunk.text ?? '';
      expect(text).toBe(whole.text);
    });

    it('receives tool calls of Gemini, and errors in its own form', async () => {
      world.google.behave({ parts: [{ functionCall: { name: 'weather', args: { city: 'Ulm' } } }] });
      const functionDeclarations = [{ name: 'weather', parametersJsonSchema: TOOLS[0]?.parameters }];
      const { functionCalls } = await world.genai.models.generateContent({
        ...{ model: MODELS.gemini, contents, config: { tools: [{ functionDeclarations }] } },
      });
      expect(functionCalls).toEqual([expect.objectContaining({ name: 'weather', args: { city: 'Ulm' } })]);
      world.fake.failWith(400, 'no_such_thing');
      await expect(world.genai.models.generateContent({ model: MODELS.openai, contents })).rejects.toMatchObject({
        status: 400,
      });
    });

    it.each([
      ['text-embedding-004', 'Gemini'],
      ['text-embedding-3-small', 'OpenAI'],
    ])('embeds by %s over %s', async (model) => {
      const { embeddings } = await world.genai.models.embedContent({
        ...{ model, contents: ['a', 'b'], config: { outputDimensionality: 8 } },
      });
      expect(embeddings?.map(({ values }) => values?.length)).toEqual([expect.any(Number), expect.any(Number)]);
      expect(embeddings?.[0]?.values).not.toEqual(embeddings?.[1]?.values);
      const one = await fetch(`${world.testBed.url}/v1beta/models/${model}:embedContent?key=${world.key}`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ content: { parts: [{ text: 'a' }] } }),
      });
      expect(await one.json()).toMatchObject({ embedding: { values: embeddings?.[0]?.values } });
      const row = await rowOf(world.testBed, one.headers.get('x-oneapi-request-id') ?? '');
      expect(row).toMatchObject({ model_name: model, completion_tokens: 0 });
    });

    it('lists models and counts tokens free of charge', async () => {
      const names: (string | undefined)[] = [];
      for await (const { name } of await world.genai.models.list()) names.push(name);
      expect(names).toContain(`models/${MODELS.openai}`);
      const before = (await logRows(world.testBed)).length;
      const { totalTokens } = await world.genai.models.countTokens({ model: MODELS.gemini, contents: 'one two three' });
      // Three words, and the role.
      expect(totalTokens).toBe(5);
      const { input_tokens: tokens } = await world.anthropic.messages.countTokens({
        model: MODELS.openai,
        messages: [{ role: 'user', content: 'one two three' }],
      });
      expect(tokens).toBe(6);
      const refused = world.anthropic.messages.countTokens({
        model: 'unknown',
        messages: [{ role: 'user', content: 'x' }],
      });
      await expect(refused).rejects.toMatchObject({ status: 503 });
      expect((await logRows(world.testBed)).length).toBe(before);
    });

    it('counts a picture in the text of an earlier answer as one where it is not sent as text', async () => {
      const counted = async (model: string, said: string): Promise<number> => {
        const turns = ['draw a cat', said, 'and a dog'];
        const messages = turns.map((content, turn) => ({ role: turn === 1 ? 'assistant' : 'user', content }) as const);
        return (await world.anthropic.messages.countTokens({ model, messages })).input_tokens;
      };
      const drawn = (length: number): string =>
        `Here: ![image](data:image/png;base64,iVBORw0KGgoA${'A'.repeat(length)})!`;
      // A picture in a small body, in a large one, and one that is longer than what is counted of a text.
      for (const length of [5000, 400_000, 2_000_000])
        expect(await counted(MODELS.gemini, drawn(length))).toBe((await counted(MODELS.gemini, 'Here: !')) + 1000);
      expect(await counted(MODELS.anthropic, drawn(100_000))).toBeGreaterThan(2000);
    });
  });
}
