import { z } from 'zod';
import type { ServiceName } from '../routes/define-routes.js';
import { defineCall } from './define-call.js';

/** Rows of one call: enough that an archive of a million rows is a thousand calls, and few enough for the memory of both sides. */
export const PERSON_PAGE = 1_000;

/**
 * What a service keeps about a person, section by section and page by page, as the person may see it: no keys, no secrets, nothing of the
 * channels that served. `after` is the `next` of the page before; a page whose `next` is null is the last of its section.
 */
const definePersonCall = <const Sections extends readonly [string, ...string[]]>(
  service: ServiceName,
  sections: Sections,
) => ({
  sections,
  ...defineCall({
    service,
    name: 'read-person',
    input: z.object({
      userId: z.int().positive(),
      section: z.enum(sections),
      after: z.string().max(100).nullable(),
    }),
    output: z.object({
      rows: z.array(z.record(z.string(), z.unknown())).max(PERSON_PAGE),
      next: z.string().max(100).nullable(),
    }),
  }),
});
export interface PersonPage {
  rows: Record<string, unknown>[];
  next: string | null;
}

export const personOfBilling = definePersonCall('billing', [
  'wallet',
  'tokens',
  'orders',
  'redemptions',
  'journal',
  'approvals',
]);
export const personOfChannel = definePersonCall('channel', ['tasks']);
export const personOfLogging = definePersonCall('logging', ['logs', 'refused_calls', 'audit']);
