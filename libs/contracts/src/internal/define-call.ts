import type { z } from 'zod';
import type { ServiceName } from '../routes/define-routes.js';

/** A call one service makes to another: POST /internal/<name> with JSON both ways. Never reachable from outside. */
export interface InternalCall<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  service: ServiceName;
  /** Read models are filled from the answer, so it comes from the owner's own tables and waits for no read model. */
  isSource?: boolean;
  name: string;
  input: Input;
  output: Output;
}

export const defineCall = <Input extends z.ZodType, Output extends z.ZodType>(
  call: InternalCall<Input, Output>,
): InternalCall<Input, Output> => call;
