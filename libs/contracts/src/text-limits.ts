/** Limits on the length of a text. */
export interface TextLimit {
  least?: number;
  most: number;
  /** The unit of the limit: characters are Unicode code points, so an emoji is one; bytes are those of UTF-8. */
  unit: 'characters' | 'bytes';
}

const characters = (most: number, least?: number): TextLimit => ({ most, unit: 'characters', least });

/** The lengths that the schemas demand, in a file without the schema library, so that forms can check them without loading it. */
export const textLimits = {
  username: characters(12),
  displayName: characters(20),
  password: characters(20, 8),
  email: characters(50),
  /** Of all addresses for notices together. */
  notificationEmail: characters(254),
  webhookUrl: characters(2048),
  webhookSecret: characters(256),
  reason: characters(200),
  passkeyName: characters(40, 1),
  /** Other user names are shorter; the documented set-up has no such limit, so this is only a bound. */
  setupUsername: characters(64),
  /** Longer than what people type, and short enough to hash. */
  setupPassword: characters(128, 8),
  /** The reference limits bytes. */
  tokenName: { most: 30, unit: 'bytes' },
  redemptionName: characters(20, 1),
  allowedAddresses: characters(8192),
  channelName: characters(255),
  tag: characters(255),
  modelName: characters(255),
  groupName: characters(64),
} as const satisfies Record<string, TextLimit>;

/** Addresses in one text, separated by `;`. */
export const MOST_NOTICE_ADDRESSES = 5;

/** The length in the limit's unit. */
export const lengthOf = (text: string, { unit }: TextLimit): number =>
  unit === 'bytes' ? new TextEncoder().encode(text).length : Array.from(text).length;

export function lengthFault(text: string, limit: TextLimit): 'short' | 'long' | undefined {
  const length = lengthOf(text, limit);
  if (length > limit.most) return 'long';
  return limit.least !== undefined && length < limit.least ? 'short' : undefined;
}
