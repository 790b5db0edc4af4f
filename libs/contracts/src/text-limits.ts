/** How long a text may be. */
export interface TextLimit {
  least?: number;
  most: number;
  /** What is counted: characters are code points, so an emoji beyond the basic plane is one of them; bytes are those of UTF-8. */
  unit: 'characters' | 'bytes';
}

const characters = (most: number, least?: number): TextLimit => ({ most, unit: 'characters', least });

/** The lengths that the schemas demand, free of the schema library, so that a form checks as the server does without loading it. */
export const textLimits = {
  username: characters(12),
  displayName: characters(20),
  password: characters(20, 8),
  email: characters(50),
  notificationEmail: characters(254),
  webhookUrl: characters(2048),
  webhookSecret: characters(256),
  reason: characters(200),
  passkeyName: characters(40, 1),
  /** Other names end sooner; the first run of the documents knows no such rule, so this is only a bound. */
  setupUsername: characters(64),
  /** Longer than anybody types, short enough to hash. */
  setupPassword: characters(128, 8),
  /** The limit of the reference counts bytes. */
  tokenName: { most: 30, unit: 'bytes' },
  redemptionName: characters(20, 1),
  allowedAddresses: characters(8192),
  channelName: characters(255),
  tag: characters(255),
  modelName: characters(255),
  groupName: characters(64),
} as const satisfies Record<string, TextLimit>;

/** In the unit of the limit. */
export const lengthOf = (text: string, { unit }: TextLimit): number =>
  unit === 'bytes' ? new TextEncoder().encode(text).length : Array.from(text).length;

export function lengthFault(text: string, limit: TextLimit): 'short' | 'long' | undefined {
  const length = lengthOf(text, limit);
  if (length > limit.most) return 'long';
  return limit.least !== undefined && length < limit.least ? 'short' : undefined;
}
