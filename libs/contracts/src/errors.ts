import { z } from 'zod';
import { errorKinds } from './error-kinds.js';

export const errorKindSchema = z.enum(errorKinds);
export type { ErrorKind } from './error-kinds.js';

export const paramsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
