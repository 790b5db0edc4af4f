import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { isAdmin, type OptionKey, Role } from '@tollgate/contracts';

/** What vouches for people: whoever answers at these addresses can claim to be anybody. */
export const vouching = {
  oidc: ['oidc.well_known', 'oidc.authorization_endpoint', 'oidc.token_endpoint', 'oidc.user_info_endpoint'],
  wechat: ['WeChatServerAddress'],
  telegram: ['TelegramBotToken'],
  // Many servers keep a copy of what an account has sent.
  mail: ['SMTPServer', 'SMTPPort', 'SMTPAccount', 'SMTPToken', 'ServerAddress'],
} as const satisfies Record<string, readonly OptionKey[]>;
export type Voucher = keyof typeof vouching;

/**
 * Administrators may change these settings, but nobody may come in by it as somebody they do not rank above: for the account of an
 * administrator or a super administrator they count only while a super administrator, or whose account it is, was the last to change
 * each of them. The own account is no gain, as whoever is signed in may bind to it what they like.
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
