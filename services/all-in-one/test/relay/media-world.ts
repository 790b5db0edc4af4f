import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import OpenAI from 'openai';
import { withoutRequestId } from '../support/caller-world.js';

interface Refused {
  status: number;
  code: string;
  message: string;
}

export const idOf = (response: Response): string => response.headers.get('x-oneapi-request-id') ?? '';

export async function refusalOf(response: Response): Promise<Refused> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, code: error.code, message: withoutRequestId(error.message) };
}

/** An installation with channels for pictures, sound and moderation, and a user with a key. */
export class MediaWorld {
  upstream!: FakeUpstream;
  testBed!: TestBed;
  key!: string;
  openai!: OpenAI;

  async open(): Promise<void> {
    this.upstream = await startFakeUpstream();
    this.testBed = await startTestBed(allServices);
    const { testBed, upstream } = this;
    const models =
      'dall-e,dall-e-2,dall-e-3,gpt-image-1,gpt-image-1-mini,text-moderation-stable,whisper-1,tts-1,gpt-4o-mini-tts,text-davinci-edit-001';
    await testBed.channel({ name: 'first', models, base_url: upstream.url, priority: 5 });
    await testBed.channel({
      name: 'broken',
      models: 'gpt-image-1-mini',
      base_url: `${upstream.url}/~status=503`,
      priority: 9,
    });
    await testBed.channel({ name: 'claude', type: 14, models: 'claude-2.1', base_url: upstream.url });
    const prices = { 'dall-e': 0.016, 'dall-e-2': 0.02, 'dall-e-3': 0.04 };
    await testBed.root.data('PUT', '/api/option/', { key: 'ModelPrice', value: JSON.stringify(prices) });
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    await testBed.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
    this.key = await testBed.token(await testBed.user('painter', 100_000_000));
    this.openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: this.key, maxRetries: 0 });
  }

  async close(): Promise<void> {
    await this.testBed?.close();
    await this.upstream?.close();
  }

  post(path: string, body: unknown, key = this.key): Promise<Response> {
    return fetch(`${this.testBed.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** The body of the latest call to the upstream. */
  lastBody() {
    return this.upstream.journal().at(-1)?.body;
  }
}
