import { AppError, type OptionStore } from '@tollgate/chassis';

const NOT_LISTED =
  "The administrator has enabled the email domain name whitelist, and your email address is not allowed due to special symbols or it's not in the whitelist.";

/** Checks an address against the operator's rules; not whether it belongs to a user. */
export function assertAllowedAddress(email: string, options: Pick<OptionStore, 'get'>): void {
  const [local = '', domain = ''] = email.split('@');
  if (options.get('EmailDomainRestrictionEnabled') && !options.get('EmailDomainWhitelist').includes(domain)) {
    throw new AppError('invalid', 'email-domain-not-allowed', NOT_LISTED, { field: 'email' });
  }
  if (options.get('EmailAliasRestrictionEnabled') && /[+.]/.test(local)) {
    throw new AppError(
      'invalid',
      'email-alias-not-allowed',
      '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。',
      { field: 'email' },
    );
  }
}

/** The same for an address that comes from a provider: it is left out instead of refused. */
export function isAllowedAddress(email: string, options: Pick<OptionStore, 'get'>): boolean {
  try {
    assertAllowedAddress(email, options);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
