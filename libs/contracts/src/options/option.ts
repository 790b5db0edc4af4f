import type { z } from 'zod';

/** The cards of the settings page, each named `tab.card`. */
export const optionCards = [
  'operation.general',
  'operation.drawing',
  'operation.sensitive',
  'operation.log',
  'operation.dashboard',
  'operation.monitor',
  'operation.quota',
  'operation.four-eyes',
  'operation.chat',
  'operation.group',
  'operation.ratio',
  'rate-limit.model-request',
  'model.global',
  'model.gemini',
  'model.claude',
  'system.general',
  'system.worker',
  'system.payment',
  'system.login',
  'system.second-factor',
  'system.email-domain',
  'system.smtp',
  'system.oidc',
  'system.github',
  'system.linuxdo',
  'system.wechat',
  'system.telegram',
  'system.turnstile',
  'other.notice',
  'other.personalization',
] as const;
type OptionCard = (typeof optionCards)[number];

/**
 * One system setting. On the wire and in the database it is text; `schema` parses the text and provides the message for invalid ones. The
 * database stores overrides only, so `default` applies while there is none.
 */
export interface OptionRow<Value = unknown> {
  schema: z.ZodType<Value, string>;
  default: string;
  /** Who may write it: 10 administrators, 100 the super administrator. Every administrator may read it: the console shows it locked. */
  minRole: 10 | 100;
  card: OptionCard;
  /** Write-only: no reply, log or event carries its value. */
  secret: boolean;
  /**
   * For options that determine where or how a secret is sent: that secret's key. Changing such an option without knowing the secret could
   * reveal it.
   */
  receives?: string;
  /** The value is included in the public status. */
  inStatus: boolean;
}

type OptionDeclaration<Value> = Omit<OptionRow<Value>, 'secret' | 'inStatus'> & {
  secret?: boolean;
  inStatus?: boolean;
};

/** Declares an option; by default it is neither secret nor public. */
export function option<Value>(declaration: OptionDeclaration<Value>): OptionRow<Value> {
  return { secret: false, inStatus: false, ...declaration };
}
