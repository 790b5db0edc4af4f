import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readUntil } from '@tollgate/testing';
import { LoneProduct } from '../support/lone-product.js';
import { ask, type LogRow, logRows } from '../support/relay-site.js';

const CREDIT = 100_000_000;
const PROMPT =
  'Please explain, in considerable detail, how an append-only journal survives the loss of its process. '.repeat(20);
const SENTENCE =
  'Every acknowledged record was written before anything about it became visible to whoever asked for it. ';
const LAST = 'THE END SO FAR';
const PIECES = 40;
/** Longer than the time between two records of a stream, including the first start of the tokenizer. */
const COUNTED_MS = 3000;
const POLICIES = ['stop', 'reported'] as const;

/** An upstream that sends much text in little time, and then neither ends nor reports usage. */
function startSpeaker(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (content: string): boolean =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
    void (async () => {
      for (let piece = 0; piece < PIECES; piece += 1) {
        say(SENTENCE);
        await pause(10);
      }
      say(LAST);
    })();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

describe('a stream whose relay is killed', () => {
  let speaker: Server;
  let product: LoneProduct;
  let key: string;

  beforeAll(async () => {
    speaker = await startSpeaker();
    product = await LoneProduct.open();
    const { site } = product;
    const { port } = speaker.address() as AddressInfo;
    for (const policy of POLICIES)
      await site.channel({
        name: policy,
        type: 1,
        base_url: `http://127.0.0.1:${port}`,
        models: `gpt-4o-${policy}`,
        setting: JSON.stringify({ abort_policy: policy }),
      });
    await site.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    key = await site.token(await site.user('reader', CREDIT));
  }, 180_000);
  afterAll(async () => {
    await product?.close();
    speaker?.closeAllConnections();
    speaker?.close();
  }, 60_000);

  /** Reads the whole stream; the caller decides what happens to the request then. */
  async function readAll(policy: string, signal: AbortSignal): Promise<void> {
    const reply = await ask(product.url, {
      dialect: 'openai',
      key,
      isStream: true,
      prompt: PROMPT,
      body: { model: `gpt-4o-${policy}`, max_tokens: 4000 },
      signal,
    });
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let received = ''; !received.includes(LAST);) received += (await reader?.read())?.value ?? '';
    void reader?.read().catch(() => undefined);
  }

  const newRow = async (known: number): Promise<LogRow> =>
    (
      await readUntil(
        () => logRows(product.site),
        ({ length }) => length > known,
        30_000,
      )
    )[0]!;

  async function leave(policy: string): Promise<LogRow> {
    const known = (await logRows(product.site)).length;
    const leaving = new AbortController();
    await readAll(policy, leaving.signal);
    await pause(COUNTED_MS);
    leaving.abort();
    return newRow(known);
  }

  async function die(policy: string): Promise<LogRow> {
    const known = (await logRows(product.site)).length;
    await readAll(policy, new AbortController().signal);
    await pause(COUNTED_MS);
    await product.kill();
    await product.restart();
    return newRow(known);
  }

  it('costs its client the same as a disconnect at that point', async () => {
    const left = await leave('stop');
    const killed = await die('stop');
    expect([left.other.outcome, killed.other.outcome]).toEqual(['client_abort', 'interrupted']);
    expect(killed.prompt_tokens).toBe(left.prompt_tokens);
    expect(killed.completion_tokens).toBeLessThanOrEqual(left.completion_tokens);
    expect(killed.completion_tokens).toBeGreaterThan(0.9 * left.completion_tokens);
    expect(killed.quota).toBeLessThanOrEqual(left.quota);
  }, 90_000);

  it('costs nothing when only usage reported by the upstream is charged', async () => {
    const killed = await die('reported');
    expect([killed.other.outcome, killed.quota]).toEqual(['interrupted', 0]);
  }, 90_000);
});
