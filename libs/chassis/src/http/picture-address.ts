import { z } from 'zod';
import type { SecretBox } from '../crypto/secret-box.js';

const PURPOSE = 'picture-address';
const DAY_SECONDS = 86_400;

const ticketSchema = z.object({ task: z.int().positive(), id: z.string(), until: z.int() });

/**
 * A signed path and query that lets anyone who has it load the picture of a drawing until the end of the next day. The address stays the
 * same for a whole day, so that browsers can cache the picture.
 */
export function picturePath(secrets: SecretBox, { task, id }: { task: number; id: string }, nowMs: number): string {
  const until = (Math.floor(nowMs / 1000 / DAY_SECONDS) + 2) * DAY_SECONDS;
  return `/mj/image/${encodeURIComponent(id)}?sign=${secrets.sign(PURPOSE, { task, id, until })}`;
}

/** The task whose picture the address shows; `undefined` when the signature is invalid, belongs to another id or has expired. */
export function pictureTask(
  secrets: SecretBox,
  { id, sign }: { id: string; sign: string },
  nowMs: number,
): number | undefined {
  const ticket = ticketSchema.safeParse(secrets.verify(PURPOSE, sign));
  if (!ticket.success || ticket.data.id !== id || ticket.data.until * 1000 <= nowMs) return undefined;
  return ticket.data.task;
}
