import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, type Person, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { type Answer, ask, type Ask, MODELS, read } from '../support/relay-site.js';

export const CREDIT = 10_000_000;

export type Wish = Partial<Ask> & { model?: string };

/** The message of an error without the request id. */
export const textOf = ({ error }: Answer): string =>
  (error?.message ?? '').replace(/ \(request id: [0-9a-f-]{36}\)$/, '');

/** How messages show a key: its first and last three characters. */
export const hintOf = (full: string): string => `sk-${full.slice(3, 6)}***${full.slice(-3)}`;

/**
 * An installation whose channels serve every request, and a user with a key; so every error comes from Tollgate itself.
 */
export class RefusalWorld {
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
      models: 'gpt-4o,gpt-4o-mini,unpriced',
      group: 'default,vip',
    });
    await testBed.channel({ name: 'claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
    this.user = await testBed.user('refused', CREDIT);
    this.key = await testBed.token(this.user);
  }

  async close(): Promise<void> {
    await this.testBed?.close();
    await this.upstream?.close();
  }

  async send({ model, body, dialect = 'openai', ...rest }: Wish = {}): Promise<Answer> {
    const { key } = this;
    const prompt = 'three plain words';
    return read(
      await ask(this.testBed.url, { dialect, key, prompt, ...rest, body: { ...(model && { model }), ...body } }),
      dialect,
    );
  }

  option(name: string, value: string): Promise<unknown> {
    return this.testBed.root.data('PUT', '/api/option/', { key: name, value });
  }

  /** Changes fields of the token with this key. */
  async change(full: string, fields: Record<string, unknown>, statusOnly = false): Promise<void> {
    const rows = await this.user.data<{ id: number; key: string }[]>('GET', '/api/token/?p=0&size=100');
    const row = rows.find((token) => `sk-${token.key}` === full);
    await this.user.data('PUT', `/api/token/${statusOnly ? '?status_only=true' : ''}`, { ...row, ...fields });
  }
}
