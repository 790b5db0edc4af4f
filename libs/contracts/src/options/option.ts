import type { z } from 'zod';

/** The cards of the settings page, tab first. */
export const optionSections = [
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
export type OptionSection = (typeof optionSections)[number];

/**
 * One system setting. It is text on the wire and in the database; `schema` turns the text into its value and words the refusal
 * of a bad one. The database holds overrides only, so `default` is what an empty one means.
 */
export interface OptionRow<Value = unknown> {
  schema: z.ZodType<Value, string>;
  default: string;
  /** Who may read and write it: 10 administrators, 100 the super administrator. */
  minRole: 10 | 100;
  section: OptionSection;
  /** Write-only: no reply, log or event carries its value. */
  secret: boolean;
  /** Of where and how a secret is sent: the secret's key. Whoever changes it without knowing the secret could read it. */
  receives?: string;
  /** Its value is part of the public status. */
  inStatus: boolean;
}

type OptionDeclaration<Value> = Omit<OptionRow<Value>, 'secret' | 'inStatus'> & {
  secret?: boolean;
  inStatus?: boolean;
};

/** Declares an option; unless it says otherwise it is no secret and unknown to visitors. */
export function option<Value>(declaration: OptionDeclaration<Value>): OptionRow<Value> {
  return { secret: false, inStatus: false, ...declaration };
}
