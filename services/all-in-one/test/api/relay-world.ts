import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, type Person, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { type Answer, ask, type Ask, MODELS, read } from '../support/relay-site.js';
import { plain } from './support.js';

export const CLAUDE = MODELS.anthropic;

export interface Wire {
  status: number;
  body: Record<string, unknown> & { error?: { message: string; type: string; param?: string; code?: string } };
}

/** The message of an error without the request id. */
export const textOf = ({ body }: Wire): string =>
  (body.error?.message ?? '').replace(/ \(request id: [0-9a-f-]{36}\)$/, '');

/**
 * An installation with an upstream for each dialect, whose journal shows what was sent, and a user who calls models.
 */
export class RelayWorld {
  testBed!: TestBed;
  upstream!: FakeUpstream;
  user!: Person;
  key!: string;

  async open(): Promise<void> {
    this.upstream = await startFakeUpstream();
    this.testBed = await startTestBed(allServices, { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' });
    const { testBed, upstream } = this;
    await testBed.channel({
      name: 'openai',
      type: 1,
      base_url: upstream.url,
      models: 'gpt-4o,gpt-4o-mini,text-embedding-3-small,dall-e-3',
      group: 'default,vip',
    });
    await testBed.channel({ name: 'claude', type: 14, base_url: upstream.url, models: CLAUDE });
    this.user = await testBed.user('caller', 1_000_000_000);
    this.key = await testBed.token(this.user);
  }

  async close(): Promise<void> {
    await this.testBed?.close();
    await this.upstream?.close();
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Wire> {
    const { status, text } = await plain(this.testBed, 'POST', path, {
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status, body: JSON.parse(text) as Wire['body'] };
  }

  chat(fields: Record<string, unknown>, headers?: Record<string, string>): Promise<Wire> {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], ...fields };
    return this.post('/v1/chat/completions', body, headers);
  }

  option(name: string, value: string): Promise<unknown> {
    return this.testBed.root.data('PUT', '/api/option/', { key: name, value });
  }

  async talk(wish: Partial<Ask>): Promise<Answer> {
    const dialect = wish.dialect ?? 'openai';
    return read(await ask(this.testBed.url, { key: this.key, prompt: 'hi', ...wish, dialect }), dialect);
  }
}
