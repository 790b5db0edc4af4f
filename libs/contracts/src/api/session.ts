import { z } from 'zod';

/** A browser in which the user is signed in. Times are Unix seconds. */
export const signInSchema = z.object({
  id: z.int().positive(),
  /** The browser's `User-Agent`. */
  user_agent: z.string(),
  address: z.string(),
  created_at: z.int(),
  /** Accurate to ten minutes. */
  last_seen_at: z.int(),
  /** True for the browser that sent this request. */
  current: z.boolean(),
});
export type SignIn = z.infer<typeof signInSchema>;
