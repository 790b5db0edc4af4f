import { drawingOptions } from './drawing.js';
import { loginOptions } from './login.js';
import { mailOptions } from './mail.js';
import { modelOptions } from './model.js';
import { operationOptions } from './operation.js';
import { paymentOptions } from './payment.js';
import { personalizationOptions } from './personalization.js';
import { rateLimitOptions } from './rate-limit.js';
import { ratioOptions } from './ratio.js';

/** All options of the system; other keys can be neither read nor written. */
export const optionRows = {
  ...loginOptions,
  ...mailOptions,
  ...paymentOptions,
  ...personalizationOptions,
  ...operationOptions,
  ...drawingOptions,
  ...rateLimitOptions,
  ...modelOptions,
  ...ratioOptions,
};

export type OptionKey = keyof typeof optionRows;
