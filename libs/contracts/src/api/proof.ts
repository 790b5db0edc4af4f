import { z } from 'zod';
import { hasNoNul } from './fields.js';

/** What a chain of proof can be looked up by: request id, order number, id of a code, request id of a task, id of a journal row. */
const proofKinds = ['request', 'order', 'code', 'task', 'posting'] as const;
export type ProofKind = (typeof proofKinds)[number];

/** The links of a chain, in the order in which they happen. */
const proofLinks = [
  'received',
  'price',
  'hold',
  'attempt',
  'usage',
  'rating',
  'event',
  'order',
  'code',
  'task',
  'approval',
  'posting',
  'seal',
  'log',
] as const;

/** `missing`: should exist but does not; `pending`: will follow by itself; `differs`: contradicts the link before. */
const proofStates = ['done', 'pending', 'missing', 'differs'] as const;

export const proofFactSchema = z.object({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) });
export type ProofFact = z.infer<typeof proofFactSchema>;

export const ratingLineSchema = z.object({
  kind: z.string(),
  count: z.int(),
  ratio: z.number(),
  /** An exact decimal before rounding. */
  units: z.string(),
});

export const proofStepSchema = z.object({
  link: z.enum(proofLinks),
  state: z.enum(proofStates),
  /** Unix milliseconds; 0 if unknown. */
  time: z.int(),
  facts: z.array(proofFactSchema),
  /** For a rating, its terms. */
  lines: z.array(ratingLineSchema).optional(),
});
export type ProofStep = z.infer<typeof proofStepSchema>;

export const proofSchema = z.object({
  kind: z.enum(proofKinds),
  id: z.string(),
  user_id: z.int(),
  /** True if nothing is missing and nothing differs. */
  complete: z.boolean(),
  steps: z.array(proofStepSchema),
});
export type Proof = z.infer<typeof proofSchema>;

const wrong = '参数错误';
export const proofParamSchema = z.object({
  kind: z.enum(proofKinds, wrong),
  id: z.string().min(1, wrong).max(200, wrong).refine(hasNoNul, wrong),
});
export type ProofParam = z.output<typeof proofParamSchema>;
