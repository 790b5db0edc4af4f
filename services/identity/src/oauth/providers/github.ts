import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';
import { z } from 'zod';
import type { ProviderAccount } from '../provider-account.js';
import { ProviderCalls, providerRefused } from '../provider-calls.js';
import { ProviderAddresses } from './addresses.js';

const UNREACHABLE = '无法连接至 GitHub 服务器，请稍后重试！';
const EMPTY = '返回值非法，用户字段为空，请稍后重试！';

const tokenSchema = z.object({ access_token: z.string().min(1) });
const userSchema = z.object({
  /** The id identifies the account: a `login` can be renamed and then taken by somebody else. */
  id: z.int().positive(),
  login: z.string().min(1),
  name: z.string().nullish(),
});
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

@Injectable()
export class GitHub {
  constructor(
    private readonly options: OptionStore,
    private readonly calls: ProviderCalls,
    private readonly addresses: ProviderAddresses,
  ) {}

  authorizeUrl(state: string): string {
    const query = new URLSearchParams({ client_id: this.options.get('GitHubClientId'), state, scope: 'user:email' });
    return `${this.addresses.github}/login/oauth/authorize?${query.toString()}`;
  }

  async accountOf(code: string): Promise<ProviderAccount> {
    const body = JSON.stringify({
      client_id: this.options.get('GitHubClientId'),
      client_secret: this.options.get('GitHubClientSecret'),
      code,
    });
    const url = `${this.addresses.github}/login/oauth/access_token`;
    const request = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body } as const;
    const token = await this.calls.call(request, { schema: tokenSchema, unreachable: UNREACHABLE });
    const user = token && (await this.call('/user', token.access_token, userSchema));
    if (!token || !user) throw providerRefused(EMPTY);
    // Nobody's sign-in depends on the address: one that cannot be read is left out, like one that is not verified.
    const emails = await this.call('/user/emails', token.access_token, emailsSchema).catch(() => undefined);
    const email = emails?.find(({ primary, verified }) => primary && verified)?.email;
    return { id: String(user.id), displayName: user.name ?? undefined, email };
  }

  private call<Schema extends z.ZodType>(
    path: string,
    token: string,
    schema: Schema,
  ): Promise<z.output<Schema> | undefined> {
    const request = { url: `${this.addresses.githubApi}${path}`, headers: { authorization: `Bearer ${token}` } };
    return this.calls.call(request, { schema, unreachable: UNREACHABLE });
  }
}
