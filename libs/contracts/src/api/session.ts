import { z } from 'zod';

/** A browser that somebody is signed in with. Times are Unix seconds. */
export const signInSchema = z.object({
  id: z.int().positive(),
  /** As the browser calls itself. */
  user_agent: z.string(),
  address: z.string(),
  created_at: z.int(),
  /** Give or take ten minutes. */
  last_seen_at: z.int(),
  /** The one that asks. */
  current: z.boolean(),
});
export type SignIn = z.infer<typeof signInSchema>;
