import type { z } from 'zod';
import type { ServiceName } from '../routes/define-routes.js';

/** A call from one service to another: POST /internal/<name> with JSON in both directions. Not reachable from outside. */
export interface InternalCall<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  service: ServiceName;
  /** Read models are filled from the reply, so it is read from the owner's tables and does not wait for any read model. */
  isSource?: boolean;
  name: string;
  input: Input;
  output: Output;
}

export const defineCall = <Input extends z.ZodType, Output extends z.ZodType>(
  call: InternalCall<Input, Output>,
): InternalCall<Input, Output> => call;
