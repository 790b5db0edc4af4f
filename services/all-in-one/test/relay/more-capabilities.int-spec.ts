import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, readUntil, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import OpenAI, { toFile } from 'openai';
import { quotaOf, rowOf } from '../support/relay-site.js';

const WHISPER = '@cf/openai/whisper';
const LLAMA = '@cf/meta/llama-3.1-8b-instruct';
const CLAUDE = 'claude-3-5-haiku-20241022';
const GEMINI = 'gemini-2.5-flash';

const PICTURE = Buffer.from('the bytes of a picture');

/** A worker as an operator runs it: it fetches what it is told and answers with that. */
async function startWorker(): Promise<{ url: string; orders: unknown[]; close(): Promise<void> }> {
  const orders: unknown[] = [];
  const server = createServer((request, response) => {
    void json(request).then((order) => {
      orders.push(order);
      response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe('capabilities of providers beside chat, in their own dialects', () => {
  let upstream: FakeUpstream;
  let testBed: TestBed;
  let openai: OpenAI;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices, { TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1', MAX_FILE_DOWNLOAD_MB: '1' });
    const make = (type: number, models: string, fields: Record<string, unknown> = {}): Promise<number> =>
      testBed.channel({ name: `${type} ${models}`, type, base_url: upstream.url, models, ...fields });
    await make(4, 'llava,nomic-embed');
    await make(14, CLAUDE);
    await make(17, 'wanx-v1,text-embedding-v1');
    await make(17, 'wanx-wrong', { key: 'bad-key' });
    await make(24, `imagen-3.0-generate-002,${GEMINI}`, { key: 'AIza' });
    await make(39, `${WHISPER},${LLAMA}`, { other: 'account' });
    await make(40, 'FLUX.1-schnell');
    await make(47, 'sd3-medium');
    await make(48, 'grok-2-image');
    const prices = Object.fromEntries(
      ['wanx-v1', 'wanx-wrong', 'imagen-3.0-generate-002', 'FLUX.1-schnell', 'sd3-medium', 'grok-2-image'].map(
        (model) => [model, 0.02],
      ),
    );
    await testBed.root.data('PUT', '/api/option/', { key: 'ModelPrice', value: JSON.stringify(prices) });
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    const key = await testBed.token(await testBed.user('caller', 500_000_000));
    openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key, maxRetries: 0 });
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });
  afterEach(() => upstream.reset());

  const idOf = (response: Response): string => response.headers.get('x-oneapi-request-id') ?? '';

  it.each([
    ['nomic-embed', 3],
    ['text-embedding-v1', 7],
  ])('returns an embedding of %s for each text of the client of OpenAI', async (model, tokens) => {
    const { data, response } = await openai.embeddings.create({ model, input: ['a', 'b', 'c'] }).withResponse();
    expect(data.data.map(({ index, embedding }) => [index, [...embedding]])).toEqual([
      [0, [0, 0.5]],
      [1, [1, 0.5]],
      [2, [2, 0.5]],
    ]);
    const row = await rowOf(testBed, idOf(response));
    expect([row.prompt_tokens, row.completion_tokens, row.other.usage_source]).toEqual([3 * tokens, 0, 'upstream']);
    expect(data.usage.prompt_tokens).toBe(3 * tokens);
  });

  it.each([
    ['FLUX.1-schnell', 'payer1'],
    ['sd3-medium', 'payer2'],
    ['grok-2-image', 'payer3'],
  ])(
    'draws with %s, charged per image',
    async (model, name) => {
      const payer = await testBed.user(name, 100_000);
      const paid = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: await testBed.token(payer), maxRetries: 0 });
      const { data, response } = await paid.images.generate({ model, prompt: 'a gate', n: 2 }).withResponse();
      expect(data.data).toHaveLength(2);
      for (const item of data.data ?? []) expect(item.url ?? item.b64_json).toBeTruthy();
      const row = await rowOf(testBed, idOf(response));
      // 2 · 0.02 USD
      expect([row.quota, row.other.outcome]).toEqual([20_000, 'completed']);
      const spent = async (): Promise<number> => 100_000 - (await quotaOf(testBed, payer.id));
      expect(await readUntil(spent, (quota) => quota === row.quota)).toBe(row.quota);
    },
    20_000,
  );

  it.each(['imagen-3.0-generate-002', 'wanx-v1'])(
    'returns images of %s as data',
    async (model) => {
      const asked = { model, prompt: 'a gate', n: 2, response_format: 'b64_json' as const };
      const { data } = await openai.images.generate(asked);
      expect(data?.map(({ b64_json: bytes }) => bytes?.slice(0, 5))).toEqual(['iVBOR', 'iVBOR']);
    },
    20_000,
  );

  it('reports why there are no images, and charges nothing', async () => {
    const refused = openai.images.generate({ model: 'wanx-wrong', prompt: 'x' });
    await expect(refused).rejects.toMatchObject({ status: 401, code: 'InvalidApiKey' });
  });

  it('completes a text by running a model, with and without streaming', async () => {
    const { data, response } = await openai.completions
      .create({ model: LLAMA, prompt: 'Once [[tokens=3]]', max_tokens: 20 })
      .withResponse();
    expect(data.choices[0]?.text).toBe('w1 w2 w3');
    expect(await rowOf(testBed, idOf(response))).toMatchObject({ type: 2, completion_tokens: 3 });
    const stream = await openai.completions.create({ model: LLAMA, prompt: 'Once [[tokens=3]]', stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
    expect(text).toBe('w1 w2 w3');
  });

  it('transcribes speech from the file alone', async () => {
    const file = await toFile(Buffer.alloc(3000, 7), 'a.mp3', { type: 'audio/mpeg' });
    const { data, response } = await openai.audio.transcriptions.create({ file, model: WHISPER }).withResponse();
    expect(data.text).toBe('3000 bytes were heard.');
    const row = await rowOf(testBed, idOf(response));
    expect([row.model_name, row.other.usage_source, row.prompt_tokens > 0]).toEqual([WHISPER, 'estimated', true]);
  });

  describe('pictures by address', () => {
    const look = (url: string, model = 'llava', times = 1) =>
      openai.chat.completions.create({
        model,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What? [[tokens=2]]' },
              ...Array.from({ length: times }, () => ({ type: 'image_url' as const, image_url: { url } })),
            ],
          },
        ],
      });
    const sentText = (): string => JSON.stringify(upstream.journal().at(-1)?.body);

    it('are fetched for Ollama, also after a redirect', async () => {
      const reply = await look(`${upstream.url}/pictures/moved.png`);
      expect(reply.choices[0]?.message.content).toBe('w1 w2');
      const sent = JSON.stringify(upstream.journal().at(-1)?.body);
      expect(sent).toContain('data:image/png;base64,iVBOR');
      expect(sent).not.toContain('moved.png');
    });

    it('are what their bytes say where their server states no type of a picture', async () => {
      await look(`${upstream.url}/pictures/stored.bin`);
      expect(JSON.stringify(upstream.journal().at(-1)?.body)).toContain('data:image/png;base64,iVBOR');
    });

    it.each([
      [14, CLAUDE, '"type":"base64","media_type":"image/png","data":"iVBOR'],
      [24, GEMINI, '"inlineData":{"mimeType":"image/png","data":"iVBOR'],
    ])('are fetched for type %d, which fetches none over http', async (_, model, found) => {
      const reply = await look(`${upstream.url}/pictures/stored.bin`, model);
      expect(reply.choices[0]?.message.content).toBe('w1 w2');
      expect(JSON.stringify(upstream.journal().at(-1)?.body)).toContain(found);
    });

    it('count towards MAX_FILE_DOWNLOAD_MB as often as the request names them', async () => {
      const url = `${upstream.url}/pictures/half.png`;
      await look(url);
      expect(sentText().split('iVBOR')).toHaveLength(2);
      await expect(look(url, 'llava', 3)).rejects.toMatchObject({ status: 400, code: 'invalid_text_request' });
    });

    it.each([
      ['are not there', 'nothing.png', 1],
      ['are too large together', 'pictures/half.png', 3],
    ])('stay addresses for Gemini, whose newer models fetch some, when they %s', async (_, path, times) => {
      const url = `${upstream.url}/${path}`;
      await look(url, GEMINI, times);
      expect(sentText()).toContain(`"fileUri":"${url}"`);
    });

    it("are fetched through the operator's worker where one is set, over https only", async () => {
      const worker = await startWorker();
      const set = (key: string, value: string) => testBed.root.data('PUT', '/api/option/', { key, value });
      try {
        await set('WorkerUrl', worker.url);
        await set('WorkerValidKey', 'valid');
        const url = 'https://127.0.0.1/seen-by-the-worker.png';
        // The relay may hear of the option a moment later.
        const asked = () =>
          look(url).then(
            () => worker.orders.length,
            () => 0,
          );
        expect(await readUntil(asked, (count) => count > 0)).toBeGreaterThan(0);
        expect(worker.orders[0]).toEqual({ url, key: 'valid', method: 'GET', headers: { accept: 'image/*' } });
        expect(JSON.stringify(upstream.journal().at(-1)?.body)).toContain(PICTURE.toString('base64'));
        await expect(look(`${upstream.url}/pictures/moved.png`)).rejects.toMatchObject({ status: 400 });
      } finally {
        await set('WorkerUrl', '');
        await worker.close();
      }
    });

    it.each([
      ['are in a network of ours', 'http://10.0.0.1/a.png'],
      ['are none', 'pictures/a.txt'],
      ['are not there', 'nothing.png'],
      ['are larger than MAX_FILE_DOWNLOAD_MB', 'pictures/large.png'],
    ])('are refused when they %s', async (_, address) => {
      const url = address.startsWith('http') ? address : `${upstream.url}/${address}`;
      await expect(look(url)).rejects.toMatchObject({ status: 400, code: 'invalid_text_request' });
      expect(upstream.journal().filter(({ path }) => path.includes('completions'))).toEqual([]);
    });
  });
});
