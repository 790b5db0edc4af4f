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
  /** The JSON text exactly as it is signed and sent. */
  body: z.string(),
  secret: z.string(),
});

/** Content of a delivery; stored encrypted, because mails contain codes and webhooks a secret. */
export const payloadSchema = z.discriminatedUnion('via', [mailSchema, webhookSchema]);
export type Payload = z.infer<typeof payloadSchema>;

/** The part of the destination that may be shown: an email address, or a webhook URL without its query. */
export function targetOf(payload: Payload): string {
  if (payload.via === 'mail') return payload.to;
  const { origin, pathname } = new URL(payload.url);
  return `${origin}${pathname}`;
}
