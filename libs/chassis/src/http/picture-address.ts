import { z } from 'zod';
import type { SecretBox } from '../crypto/secret-box.js';

const PURPOSE = 'picture-address';
const DAY_SECONDS = 86_400;
/** In a millisecond. */
const NANOSECONDS = 1_000_000;

const ticketSchema = z.object({ task: z.int().positive(), id: z.string(), until: z.int() });

interface Picture {
  task: number;
  /** The upstream's id of the drawing. */
  id: string;
  /** Whether the drawing has succeeded; until then its picture is a preview that changes. */
  isFinal: boolean;
}

/**
 * A signed path and query that lets anyone who has it load the picture of a drawing until the end of the next day. The address of a final
 * picture stays the same for a whole day, so that browsers can cache it; a preview gets another one each time (`rand`, in nanoseconds).
 */
export function picturePath(secrets: SecretBox, { task, id, isFinal }: Picture, nowMs: number): string {
  const until = (Math.floor(nowMs / 1000 / DAY_SECONDS) + 2) * DAY_SECONDS;
  const path = `/mj/image/${encodeURIComponent(id)}?sign=${secrets.sign(PURPOSE, { task, id, until })}`;
  return isFinal ? path : `${path}&rand=${nowMs * NANOSECONDS}`;
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
