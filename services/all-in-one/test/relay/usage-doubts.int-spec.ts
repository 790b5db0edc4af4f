import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type HostileEndpoint,
  type HostileUpstream,
  type Scenario,
  scenarios,
  type TestBed,
  startHostileUpstream,
  startTestBed,
  words,
} from '@tollgate/testing';
import {
  type Answer,
  ask,
  type ClientDialect,
  type LogRow,
  MODELS,
  quotaOf,
  read,
  rowOf,
} from '../support/relay-site.js';

const PROMPT = 'three plain words';
const CREDIT = 1_000_000_000;
/** Much more than these few words can cost, much less than the false usage would. */
const DEAR = 1000;
/** Number of tokens that a provider may add before a prompt. */
const TEMPLATE = 4096;

describe('an implausible usage', () => {
  let testBed: TestBed;
  let hostile: HostileUpstream;
  let key: string;
  let userId: number;
  let readers = 0;
  const endpoints = {} as Record<ClientDialect | 'embeddings' | 'app', HostileEndpoint>;

  beforeAll(async () => {
    hostile = await startHostileUpstream();
    testBed = await startTestBed(allServices);
    for (const [name, type, models] of [
      ['openai', 1, MODELS.openai],
      ['anthropic', 14, MODELS.anthropic],
      ['embeddings', 1, 'text-embedding-3-small'],
      ['app', 22, 'an-app'],
    ] as const) {
      const endpoint = hostile.endpoint(scenarios.speak());
      endpoints[name] = endpoint;
      await testBed.channel({ name, type, base_url: endpoint.url, models });
    }
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    const user = await testBed.user('believer', CREDIT);
    userId = user.id;
    key = await testBed.token(user);
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await hostile?.close();
  });

  async function told(dialect: ClientDialect, isStream: boolean, scenario: Scenario): Promise<[Answer, LogRow]> {
    endpoints[dialect].play(scenario);
    const answer = await read(await ask(testBed.url, { dialect, key, isStream, prompt: PROMPT }), dialect);
    return [answer, await rowOf(testBed, answer.requestId)];
  }

  const lies: [string, string | number, string | number][] = [
    ['a thousand million tokens for two words', 3, 1_000_000_000],
    ['a prompt nobody sent', 1_000_000_000, 2],
    ['-1 as a number without sign', '18446744073709551615', 2],
    ['-1', 3, -1],
    ['more than numbers are', 3, '1e400'],
    ['a text', 3, '"12"'],
  ];

  describe.each(['openai', 'anthropic'] as const)('of %s', (dialect) => {
    it.each(lies)(
      'is replaced by own counts and marked: %s',
      async (_, prompt, completion) => {
        for (const isStream of [false, true]) {
          const [answer, row] = await told(dialect, isStream, scenarios.claim(prompt, completion));
          expect([answer.status, answer.end]).toEqual([200, 'done']);
          expect(row.other).toMatchObject({
            outcome: 'completed',
            usage_source: 'estimated',
            usage_doubt: 'implausible',
          });
          expect(row.prompt_tokens).toBeGreaterThanOrEqual(3);
          expect(row.completion_tokens).toBeGreaterThanOrEqual(2);
          expect(row.quota).toBeGreaterThan(0);
          expect(row.quota).toBeLessThan(DEAR);
        }
      },
      20_000,
    );

    it('is charged up to the plausible maximum, and marked', async () => {
      for (const isStream of [false, true]) {
        // Tokens added before the prompt, and reasoning beyond the limit of a hundred tokens.
        const [, row] = await told(dialect, isStream, scenarios.claim(20_000, 9000));
        expect(row.other).toMatchObject({ usage_source: 'upstream', usage_doubt: 'implausible' });
        expect(row.prompt_tokens).toBeGreaterThan(TEMPLATE);
        expect(row.prompt_tokens).toBeLessThan(TEMPLATE + 400);
        expect(row.completion_tokens).toBeGreaterThan(100);
        expect(row.completion_tokens).toBeLessThan(4000);
        expect(row.quota).toBeLessThan(50 * DEAR);
      }
    });

    it('is replaced by own counts when a number is missing', async () => {
      for (const isStream of [false, true]) {
        const [, row] = await told(dialect, isStream, scenarios.claim(3, 'null', words(10)));
        expect(row.other).toMatchObject({ outcome: 'completed', usage_source: 'estimated' });
        expect(row.completion_tokens).toBeGreaterThanOrEqual(10);
      }
    });

    it('is not assumed for a plausible one', async () => {
      for (const isStream of [false, true]) {
        const [, row] = await told(dialect, isStream, scenarios.claim(3, 90));
        expect(row).toMatchObject({ prompt_tokens: 3, completion_tokens: 90, other: { usage_source: 'upstream' } });
        expect(row.other.usage_doubt).toBeUndefined();
      }
    });
  });

  it('of an embedding is replaced by own counts too', async () => {
    for (const [prompt, completion] of [
      [1_000_000_000, 0],
      [3, 4000],
    ] as const) {
      endpoints.embeddings.play(scenarios.claim(prompt, completion));
      const reply = await fetch(`${testBed.url}/v1/embeddings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'text-embedding-3-small', input: PROMPT }),
      });
      await reply.text();
      const row = await rowOf(testBed, reply.headers.get('x-oneapi-request-id') ?? '');
      expect(row).toMatchObject({ completion_tokens: 0, other: { usage_doubt: 'implausible' } });
      expect(row.quota).toBeLessThan(DEAR);
    }
  });

  it('does not overcharge the wallet', async () => {
    expect(await quotaOf(testBed, userId)).toBeGreaterThan(CREDIT - 200 * DEAR);
  });

  it.each([
    ['an agent or an app, which reads what it likes', 'an-app', PROMPT],
    ['a file that stands with the upstream', MODELS.openai, [{ type: 'file', file: { file_id: 'file-1' } }]],
    ['a film by its address', MODELS.openai, [{ type: 'video_url', video_url: { url: 'https://films.example/a' } }]],
  ])('is accepted for %s', async (_, model, content) => {
    readers += 1;
    const reader = await testBed.user(`reader${readers}`, CREDIT);
    const own = await testBed.token(reader);
    const claim = scenarios.claim(model === 'an-app' ? 900_000 : 205_000, 40);
    for (const endpoint of [endpoints.app, endpoints.openai]) endpoint.play(claim);
    for (const isStream of [false, true]) {
      const body = { model, messages: [{ role: 'user', content }] };
      const reply = await ask(testBed.url, { dialect: 'openai', key: own, isStream, prompt: '', body });
      const { requestId } = await read(reply, 'openai');
      const row = await rowOf(testBed, requestId);
      expect(row.other).toMatchObject({ outcome: 'completed', usage_source: 'upstream' });
      expect([row.prompt_tokens > 200_000, row.completion_tokens, row.other.usage_doubt]).toEqual([
        true,
        40,
        undefined,
      ]);
    }
  });

  it('does not end a stream, but an error of MiniMax inside a stream does', async () => {
    const [answer, row] = await told('openai', true, scenarios.failInside(2, scenarios.MINIMAX_FAULT));
    expect(answer.end).toBe('error');
    expect(answer.error?.message).toContain('insufficient balance');
    expect(row.other.outcome).toBe('upstream_cut');
  });
});
