import { option } from './option.js';
import { flag } from './text-schemas.js';

const drawing = { schema: flag, minRole: 10, section: 'operation.drawing' } as const;

export const drawingOptions = {
  DrawingEnabled: option({ ...drawing, default: 'true', inStatus: true }),
  TaskEnabled: option({ ...drawing, default: 'true', inStatus: true }),
  /** Passes the client's notifyHook upstream. */
  MjNotifyEnabled: option({ ...drawing, default: 'false', inStatus: true }),
  MjAccountFilterEnabled: option({ ...drawing, default: 'false' }),
  /** Pictures are fetched through this server. */
  MjForwardUrlEnabled: option({ ...drawing, default: 'true' }),
  /** Drops --fast, --relax and --turbo from prompts. */
  MjModeClearEnabled: option({ ...drawing, default: 'false' }),
  /** A follow-up needs a finished parent. */
  MjActionCheckSuccessEnabled: option({ ...drawing, default: 'true' }),
};
