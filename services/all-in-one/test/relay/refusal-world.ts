import { CallerWorld, withoutRequestId } from '../support/caller-world.js';
import { type Answer, ask, type Ask, read } from '../support/relay-site.js';

export const CREDIT = 10_000_000;

export type Wish = Partial<Ask> & { model?: string };

/** The message of an error without the request id. */
export const textOf = ({ error }: Answer): string => withoutRequestId(error?.message);

/** How messages show a key: its first and last three characters. */
export const hintOf = (full: string): string => `sk-${full.slice(3, 6)}***${full.slice(-3)}`;

/** Channels serve every request of this world, so every error comes from Tollgate itself. */
export class RefusalWorld extends CallerWorld {
  constructor() {
    super({ name: 'refused', credit: CREDIT, models: 'gpt-4o,gpt-4o-mini,unpriced' });
  }

  async send({ model, body, dialect = 'openai', ...rest }: Wish = {}): Promise<Answer> {
    const { key } = this;
    const prompt = 'three plain words';
    return read(
      await ask(this.testBed.url, { dialect, key, prompt, ...rest, body: { ...(model && { model }), ...body } }),
      dialect,
    );
  }

  /** Changes fields of the token with this key. */
  async change(full: string, fields: Record<string, unknown>, statusOnly = false): Promise<void> {
    const rows = await this.user.data<{ id: number; key: string }[]>('GET', '/api/token/?p=0&size=100');
    const row = rows.find((token) => `sk-${token.key}` === full);
    await this.user.data('PUT', `/api/token/${statusOnly ? '?status_only=true' : ''}`, { ...row, ...fields });
  }
}
