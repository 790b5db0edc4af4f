import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FakeUpstream, readUntil, type Site, startFakeUpstream } from '@tollgate/testing';
import OpenAI from 'openai';

interface LogRow {
  type: number;
  created_at: number;
  model_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  is_stream: boolean;
  token_name: string;
  username: string;
  other: string;
}

interface Self {
  quota: number;
  used_quota: number;
  request_count: number;
}

/** A product that was just set up. */
interface Destination {
  testBed: Site;
  close(): Promise<void>;
}

/** From creating a channel to the bill, with the official clients; the same steps however the product is run. */
export const describeJourney = (where: string, open: () => Promise<Destination>, upstreamHost = '127.0.0.1'): void =>
  describe(`the first charged requests, ${where}`, () => {
    let destination: Destination;
    let testBed: Site;
    let upstream: FakeUpstream;
    let key: string;
    let before: Self;

    beforeAll(async () => {
      destination = await open();
      upstream = await startFakeUpstream({ host: upstreamHost });
      ({ testBed } = destination);
      await testBed.channel({
        name: 'openai',
        type: 1,
        base_url: upstream.url,
        models: 'gpt-4o-mini,text-embedding-3-small',
      });
      await testBed.channel({ name: 'claude', type: 14, base_url: upstream.url, models: 'claude-3-7-sonnet-20250219' });
      key = await testBed.token(testBed.root, { name: 'journey', unlimited_quota: false, remain_quota: 500_000 });
      before = await testBed.root.data<Self>('GET', '/api/user/self');
    }, 240_000);
    afterAll(async () => {
      await destination?.close();
      await upstream?.close();
    }, 120_000);

    const openai = (): OpenAI => new OpenAI({ apiKey: key, baseURL: `${testBed.url}/v1`, maxRetries: 0 });
    const anthropic = (): Anthropic => new Anthropic({ apiKey: key, baseURL: testBed.url, maxRetries: 0 });

    it('serves the official OpenAI client', async () => {
      const reply = await openai().chat.completions.create({
        model: 'gpt-4o-mini',
        messages: [{ role: 'user', content: 'say something' }],
        max_tokens: 20,
      });
      expect(reply.choices[0]?.message.content).not.toBe('');
      expect(reply.usage?.completion_tokens).toBeGreaterThan(0);

      const stream = await openai().chat.completions.create({
        model: 'gpt-4o-mini',
        messages: [{ role: 'user', content: 'say more' }],
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = '';
      let usage: OpenAI.CompletionUsage | undefined;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        usage = chunk.usage ?? usage;
      }
      expect(text).not.toBe('');
      expect(usage?.total_tokens).toBeGreaterThan(0);

      const embedding = await openai().embeddings.create({
        model: 'text-embedding-3-small',
        input: 'some words to embed',
      });
      expect(embedding.data[0]?.embedding.length).toBeGreaterThan(0);
      const models = await openai().models.list();
      expect(models.data.map(({ id }) => id)).toEqual([
        'claude-3-7-sonnet-20250219',
        'gpt-4o-mini',
        'text-embedding-3-small',
      ]);
      expect((await openai().models.retrieve('gpt-4o-mini')).id).toBe('gpt-4o-mini');
    }, 30_000);

    it('serves the official Anthropic client', async () => {
      const message = await anthropic().messages.create({
        model: 'claude-3-7-sonnet-20250219',
        max_tokens: 50,
        messages: [{ role: 'user', content: 'hello you' }],
      });
      expect(message.content[0]?.type).toBe('text');
      expect(message.usage.output_tokens).toBeGreaterThan(0);
      const stream = anthropic().messages.stream({
        model: 'claude-3-7-sonnet-20250219',
        max_tokens: 50,
        messages: [{ role: 'user', content: 'hello again' }],
      });
      expect((await stream.finalMessage()).stop_reason).toBe('end_turn');
    }, 30_000);

    it('show equal charges in log rows, balance, token and formula', async () => {
      const page = await readUntil(
        () => testBed.root.data<{ items: LogRow[]; total: number }>('GET', '/api/log/?type=2&page_size=100'),
        ({ items }) => items.length >= 5,
      );
      expect(page.total).toBe(5);
      const ratios: Record<string, [number, number]> = {
        'gpt-4o-mini': [0.075, 4],
        'text-embedding-3-small': [0.01, 1],
        'claude-3-7-sonnet-20250219': [1.5, 5],
      };
      for (const row of page.items) {
        const [modelRatio, completionRatio] = ratios[row.model_name] ?? [0, 0];
        const expected = Math.max(
          1,
          Math.round((row.prompt_tokens + row.completion_tokens * completionRatio) * modelRatio * 1e6) / 1e6,
        );
        expect([row.model_name, row.quota]).toEqual([row.model_name, Math.round(expected)]);
        expect(row).toMatchObject({ token_name: 'journey', username: 'root' });
      }
      const charged = page.items.reduce((sum, { quota }) => sum + quota, 0);
      const after = await readUntil(
        () => testBed.root.data<Self>('GET', '/api/user/self'),
        ({ request_count: count }) => count === before.request_count + 5,
      );
      expect(after).toMatchObject({
        quota: before.quota - charged,
        used_quota: before.used_quota + charged,
        request_count: before.request_count + 5,
      });
      const tokens = await testBed.root.data<{ name: string; remain_quota: number; used_quota: number }[]>(
        'GET',
        '/api/token/?p=0&size=10',
      );
      expect(tokens.find(({ name }) => name === 'journey')).toMatchObject({
        remain_quota: 500_000 - charged,
        used_quota: charged,
      });
      const stat = await testBed.root.data<{ quota: number; rpm: number }>('GET', '/api/log/stat');
      expect(stat.quota).toBe(charged);
      // Requests per minute are those of the last minute, and a slow machine may need longer for all of them.
      if (page.items.every(({ created_at: at }) => at > Date.now() / 1000 - 55)) expect(stat.rpm).toBe(5);
      const hours = await testBed.root.data<{ quota: number; count: number }[]>('GET', '/api/data/');
      expect(hours.reduce((sum, { quota }) => sum + quota, 0)).toBe(charged);
    }, 60_000);
  });
