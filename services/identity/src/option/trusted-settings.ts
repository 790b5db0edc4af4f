import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { isAdmin, isSecret, type OptionKey, Role } from '@tollgate/contracts';

/** The options that decide who is believed: whoever controls the server at these addresses can claim to be any user. */
export const vouching = {
  oidc: ['oidc.well_known', 'oidc.authorization_endpoint', 'oidc.token_endpoint', 'oidc.user_info_endpoint'],
  wechat: ['WeChatServerAddress'],
  telegram: ['TelegramBotToken'],
  // SMTPAccount is among them because many mail servers store a copy of what an account has sent.
  mail: ['SMTPServer', 'SMTPPort', 'SMTPAccount', 'SMTPToken', 'ServerAddress'],
} as const satisfies Record<string, readonly OptionKey[]>;
export type Voucher = keyof typeof vouching;

const vouchingKeys = new Set<OptionKey>(Object.values(vouching).flat());
/** Whether it matters who saved an option last: for secrets see `assertMayRedirect`, for the others below. */
export const mattersWhoSaved = (key: OptionKey): boolean => isSecret(key) || vouchingKeys.has(key);

/**
 * Administrators may change these settings, but must not be able to sign in as a user of the same or a higher rank that
 * way. For the account of an administrator or super administrator the settings are therefore trusted only while each of
 * them was last changed by a super administrator or by that user. Users gain nothing with regard to their own account,
 * because they may bind any provider account to it anyway.
 */
@Injectable()
export class TrustedSettings {
  constructor(private readonly em: EntityManager) {}

  async mayVouchFor(voucher: Voucher, { role, id = 0 }: { role: number; id?: number }): Promise<boolean> {
    if (!isAdmin(role)) return true;
    const rows = await this.em.execute<object[]>(
      `select 1 from "option" o left join "users" u on u."id" = o."updated_by"
       where o."key" in (${vouching[voucher].map(() => '?').join(', ')})
         and coalesce(u."role", 0) <> ? and o."updated_by" <> ? limit 1`,
      [...vouching[voucher], Role.root, id],
    );
    return rows.length === 0;
  }
}
