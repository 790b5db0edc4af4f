import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';
import { z } from 'zod';
import type { ProviderAccount } from '../provider-account.js';
import { ProviderCalls, providerRefused } from '../provider-calls.js';
import { ProviderAddresses } from './addresses.js';

const UNREACHABLE = 'failed to connect to Linux DO server';

const tokenSchema = z.object({ access_token: z.string().default(''), message: z.string().default('') });
const userSchema = z.object({ id: z.int(), name: z.string().nullish() });

@Injectable()
export class LinuxDo {
  constructor(
    private readonly options: OptionStore,
    private readonly calls: ProviderCalls,
    private readonly addresses: ProviderAddresses,
  ) {}

  authorizeUrl(state: string): string {
    const query = new URLSearchParams({ response_type: 'code', client_id: this.options.get('LinuxDOClientId'), state });
    return `${this.addresses.linuxdo}/oauth2/authorize?${query.toString()}`;
  }

  /** `origin` is the origin on which the callback arrived; the documented exchange sends it as the redirect address. */
  async accountOf(code: string, origin: string): Promise<ProviderAccount> {
    const credentials = `${this.options.get('LinuxDOClientId')}:${this.options.get('LinuxDOClientSecret')}`;
    const headers = {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const form = { grant_type: 'authorization_code', code, redirect_uri: `${origin}/api/oauth/linuxdo` };
    const token = await this.calls.call(
      {
        method: 'POST',
        url: `${this.addresses.linuxdo}/oauth2/token`,
        headers,
        body: new URLSearchParams(form).toString(),
      },
      { schema: tokenSchema, unreachable: UNREACHABLE },
    );
    if (!token?.access_token)
      throw providerRefused(`failed to get access token: ${(token?.message ?? '').slice(0, 200)}`);
    const user = await this.calls.call(
      { url: `${this.addresses.linuxdo}/api/user`, headers: { authorization: `Bearer ${token.access_token}` } },
      { schema: userSchema, unreachable: 'failed to get user info from Linux DO' },
    );
    if (!user || user.id === 0) throw providerRefused('invalid user info returned');
    return { id: String(user.id), displayName: user.name ?? undefined };
  }
}
