import { option } from './option.js';
import { flag } from './text-schemas.js';

const drawing = { schema: flag, minRole: 10, card: 'operation.drawing' } as const;

export const drawingOptions = {
  DrawingEnabled: option({ ...drawing, default: 'true', inStatus: true }),
  TaskEnabled: option({ ...drawing, default: 'true', inStatus: true }),
  /** Forwards the client's `notifyHook` to the upstream. */
  MjNotifyEnabled: option({ ...drawing, default: 'false', inStatus: true }),
  MjAccountFilterEnabled: option({ ...drawing, default: 'false' }),
  /** Clients load pictures through this server. */
  MjForwardUrlEnabled: option({ ...drawing, default: 'true' }),
  /** Removes --fast, --relax and --turbo from prompts. */
  MjModeClearEnabled: option({ ...drawing, default: 'false' }),
  /** A follow-up action requires that its parent task has finished. */
  MjActionCheckSuccessEnabled: option({ ...drawing, default: 'true' }),
};
