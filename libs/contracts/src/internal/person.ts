import { z } from 'zod';
import type { ServiceName } from '../routes/define-routes.js';
import { defineCall } from './define-call.js';

/** Rows per call: an archive of a million rows takes a thousand calls, and a page fits the memory of both sides. */
export const PERSON_PAGE = 1_000;

/**
 * Returns a service's data about a person by section and page, limited to what the person may see: no keys or secrets, nothing about
 * channels. `after` is the `next` of the previous page; a page with `next` null is the last of its section.
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
