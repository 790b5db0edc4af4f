import { z } from 'zod';

const mailSchema = z.object({
  via: z.literal('mail'),
  to: z.string(),
  subject: z.string(),
  html: z.string(),
  text: z.string(),
});

const webhookSchema = z.object({
  via: z.literal('webhook'),
  url: z.string(),
  /** The JSON as it is signed and sent. */
  body: z.string(),
  secret: z.string(),
});

/** What a delivery consists of; kept encrypted, because mails hold codes and webhooks a secret. */
export const payloadSchema = z.discriminatedUnion('via', [mailSchema, webhookSchema]);
export type Payload = z.infer<typeof payloadSchema>;

/** What may be shown of where it goes: an address, or a webhook without what follows its path. */
export function targetOf(payload: Payload): string {
  if (payload.via === 'mail') return payload.to;
  const { origin, pathname } = new URL(payload.url);
  return `${origin}${pathname}`;
}
