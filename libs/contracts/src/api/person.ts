import { z } from 'zod';
import { proofFields } from './second-factor.js';

const invalid = '无效的参数';
const rows = z.array(z.record(z.string(), z.unknown()));

/**
 * A person's data, with rows as on the owner's own pages. An archive that was cut off is not valid JSON; a complete one ends with
 * `complete`.
 */
export const personArchiveSchema = z.object({
  format: z.literal('tollgate-person-1'),
  user_id: z.int().positive(),
  /** Unix seconds. */
  exported_at: z.int(),
  account: z.record(z.string(), z.unknown()),
  sessions: rows,
  sign_ins: rows,
  passkeys: rows,
  deliveries: rows,
  wallet: rows,
  tokens: rows,
  orders: rows,
  redemptions: rows,
  journal: rows,
  approvals: rows,
  tasks: rows,
  logs: rows,
  refused_calls: rows,
  audit: rows,
  complete: z.literal(true),
});

/** `username` is what the console requires as confirmation; if sent, it must be correct. The other members authenticate the person. */
export const eraseUserSchema = z.preprocess(
  (body) => body ?? {},
  z.object({ username: z.string(invalid).max(256, invalid).optional(), ...proofFields }),
);
export type EraseUser = z.output<typeof eraseUserSchema>;
