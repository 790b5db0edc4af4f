import { CallerWorld, withoutRequestId } from '../support/caller-world.js';
import { type Answer, ask, type Ask, MODELS, read } from '../support/relay-site.js';
import { plain } from './support.js';

export const CLAUDE = MODELS.anthropic;

export interface Wire {
  status: number;
  body: Record<string, unknown> & { error?: { message: string; type: string; param?: string; code?: string } };
}

/** The message of an error without the request id. */
export const textOf = ({ body }: Wire): string => withoutRequestId(body.error?.message);

/** Calls of the model API, and what the upstream's journal shows of them. */
export class RelayWorld extends CallerWorld {
  constructor() {
    super({
      name: 'caller',
      credit: 1_000_000_000,
      models: 'gpt-4o,gpt-4o-mini,text-embedding-3-small,dall-e-3',
    });
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

  async talk(wish: Partial<Ask>): Promise<Answer> {
    const dialect = wish.dialect ?? 'openai';
    return read(await ask(this.testBed.url, { key: this.key, prompt: 'hi', ...wish, dialect }), dialect);
  }
}
