import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { SecretBox } from '../crypto/secret-box.js';
import { CLOCK_SKEW_SECONDS } from './caller.js';

/** What the gateway signs when it forwards a request to another process. A client cannot forge this header, because it lacks the key. */
const forwardedSchema = z.object({
  requestId: z.string(),
  address: z.string(),
  protocol: z.enum(['http', 'https']),
  host: z.string(),
  /** Whether the client is at the gateway's own machine. */
  local: z.boolean().default(false),
  /** Unix seconds. */
  exp: z.int(),
});
type Forwarded = z.infer<typeof forwardedSchema>;

export const FORWARDED_HEADER = 'x-tollgate-forwarded';
const PURPOSE = 'forwarded-request';
const GRANT_SECONDS = 30;

/** Caches the parsed header on the raw request, so that its signature is verified once. */
const FORWARDED: unique symbol = Symbol('tollgate.forwarded');

export const signForwarded = (secrets: SecretBox, facts: Omit<Forwarded, 'exp'>): string =>
  secrets.sign(PURPOSE, { ...facts, exp: nowSeconds() + GRANT_SECONDS });

/** The facts that a gateway signed for this request; `undefined` when the request did not come from a gateway. */
export function forwardedOf(
  secrets: SecretBox,
  raw: IncomingMessage & { [FORWARDED]?: Forwarded },
): Forwarded | undefined {
  const header = raw.headers[FORWARDED_HEADER];
  if (header === undefined) return raw[FORWARDED];
  delete raw.headers[FORWARDED_HEADER];
  const facts = typeof header === 'string' ? forwardedSchema.safeParse(secrets.verify(PURPOSE, header)) : undefined;
  if (facts?.success && facts.data.exp + CLOCK_SKEW_SECONDS >= nowSeconds()) raw[FORWARDED] = facts.data;
  return raw[FORWARDED];
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
