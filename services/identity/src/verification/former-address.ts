import { Injectable } from '@nestjs/common';
import { Host, OptionStore, ownAddress } from '@tollgate/chassis';
import { Deliveries } from '../delivery/deliveries.js';
import { writeMail } from '../mail/mail-text.js';
import type { User } from '../user/user.entity.js';

const LIFETIME_MS = 24 * 60 * 60_000;

/**
 * Tells the former address of a user that it was replaced or removed. Whoever reads the mail of the address can reset
 * the password, and a found session or access token is enough to change it: the owner has to hear of that.
 */
@Injectable()
export class FormerAddress {
  constructor(
    private readonly options: OptionStore,
    private readonly host: Host,
    private readonly deliveries: Deliveries,
  ) {}

  /** Gives the user another address, or none, in the caller's transaction. */
  async replace(user: User, email: string): Promise<void> {
    const former = user.email;
    user.email = email;
    if (former === '' || former === email) return;
    const words = { language: user.setting.language ?? 'zh', system: this.options.get('SystemName') };
    const text = writeMail('address-given-up', { login: `${ownAddress(this.options, this.host)}/login` }, words);
    const payload = { via: 'mail' as const, to: former, ...text };
    await this.deliveries.add({ userId: user.id, kind: 'address-given-up', payload, lifetimeMs: LIFETIME_MS });
  }
}
