import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type OptionKey, Role } from '@tollgate/contracts';

/** What vouches for people: whoever answers at these places can claim to be anybody. */
export const vouching = {
  oidc: ['oidc.well_known', 'oidc.authorization_endpoint', 'oidc.token_endpoint', 'oidc.user_info_endpoint'],
  wechat: ['WeChatServerAddress'],
  telegram: ['TelegramBotToken'],
  mail: ['SMTPServer', 'SMTPPort', 'ServerAddress'],
} as const satisfies Record<string, readonly OptionKey[]>;
export type Voucher = keyof typeof vouching;

/**
 * Administrators may change these settings, but none of them may become a super administrator by it: for the account of a super administrator
 * they count only while a super administrator was the last to change each of them.
 */
@Injectable()
export class TrustedSettings {
  constructor(private readonly em: EntityManager) {}

  async mayVouchForRoot(voucher: Voucher): Promise<boolean> {
    const rows = await this.em.execute<object[]>(
      `select 1 from "option" o left join "users" u on u."id" = o."updated_by"
       where o."key" in (${vouching[voucher].map(() => '?').join(', ')}) and coalesce(u."role", 0) <> ? limit 1`,
      [...vouching[voucher], Role.root],
    );
    return rows.length === 0;
  }
}
