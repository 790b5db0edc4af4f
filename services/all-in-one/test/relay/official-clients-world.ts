import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  GEMINI_KEY,
  type GeminiUpstream,
  type TestBed,
  startFakeUpstream,
  startGeminiUpstream,
  startTestBed,
} from '@tollgate/testing';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

/** One model per upstream dialect. */
export const MODELS = {
  openai: 'gpt-4o',
  deepseek: 'deepseek-chat',
  anthropic: 'claude-3-7-sonnet-20250219',
  gemini: 'gemini-2.5-pro-preview-03-25',
} as const;
/** The name by which clients call a model that searches before each reply. */
export const SEARCHING = 'gpt-4o-mini';
type Upstream = keyof typeof MODELS;
export const UPSTREAMS = Object.keys(MODELS) as Upstream[];

export const TOOLS = [
  {
    type: 'function' as const,
    name: 'weather',
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    strict: true,
  },
];

/** An installation with a channel for each upstream dialect, and the clients that providers publish, which call it. */
export class OfficialClientsWorld {
  google!: GeminiUpstream;
  fake!: FakeUpstream;
  testBed!: TestBed;
  key!: string;
  openai!: OpenAI;
  anthropic!: Anthropic;
  genai!: GoogleGenAI;

  async open(): Promise<void> {
    this.google = await startGeminiUpstream();
    this.fake = await startFakeUpstream();
    this.testBed = await startTestBed(allServices);
    const { fake, google, testBed } = this;
    await testBed.channel({
      name: 'openai',
      type: 1,
      base_url: fake.url,
      models: `${MODELS.openai},text-embedding-3-small`,
    });
    await testBed.channel({
      name: 'search',
      type: 1,
      base_url: fake.url,
      models: SEARCHING,
      model_mapping: JSON.stringify({ [SEARCHING]: 'gpt-4o-search-preview' }),
    });
    await testBed.channel({ name: 'deepseek', type: 43, base_url: fake.url, models: MODELS.deepseek });
    await testBed.channel({ name: 'claude', type: 14, base_url: fake.url, models: MODELS.anthropic });
    await testBed.channel({
      name: 'gemini',
      type: 24,
      key: GEMINI_KEY,
      base_url: google.url,
      models: `${MODELS.gemini},text-embedding-004`,
    });
    this.key = await testBed.token(await testBed.user('caller', 1_000_000_000));
    const { key } = this;
    this.openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key, maxRetries: 0 });
    this.anthropic = new Anthropic({ baseURL: testBed.url, apiKey: key, maxRetries: 0 });
    this.genai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: testBed.url } });
  }

  async close(): Promise<void> {
    await this.testBed?.close();
    await this.google?.close();
    await this.fake?.close();
  }

  /** Undoes what a test made the upstreams do, and forgets their calls. */
  reset(): void {
    this.fake.reset();
    this.google.behave({});
    this.google.calls.length = 0;
  }
}
