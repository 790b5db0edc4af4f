import { headersByModel, maxTokensByModel, names, texts, versions } from './json-schemas.js';
import { option } from './option.js';
import { decimal, flag, integer } from './text-schemas.js';

const global = { minRole: 10, card: 'model.global' } as const;
const gemini = { minRole: 10, card: 'model.gemini' } as const;
const claude = { minRole: 10, card: 'model.claude' } as const;

/** Share of the output limit that may be used for thinking. */
const budgetShare = decimal(0.1, 1);

export const modelOptions = {
  'global.pass_through_request_enabled': option({ ...global, schema: flag, default: 'false' }),
  'general_setting.ping_interval_enabled': option({ ...global, schema: flag, default: 'false' }),
  'general_setting.ping_interval_seconds': option({ ...global, schema: integer(1, 3600), default: '60' }),

  'gemini.safety_settings': option({
    ...gemini,
    schema: texts,
    default: JSON.stringify({ default: 'OFF', HARM_CATEGORY_CIVIC_INTEGRITY: 'BLOCK_NONE' }, undefined, 2),
  }),
  'gemini.version_settings': option({
    ...gemini,
    schema: versions,
    default: JSON.stringify({ default: 'v1beta', 'gemini-1.0-pro': 'v1' }, undefined, 2),
  }),
  'gemini.supported_imagine_models': option({
    ...gemini,
    schema: names,
    default: JSON.stringify(['gemini-2.0-flash-exp-image-generation', 'gemini-2.0-flash-exp'], undefined, 2),
  }),
  'gemini.thinking_adapter_enabled': option({ ...gemini, schema: flag, default: 'false' }),
  'gemini.thinking_adapter_budget_tokens_percentage': option({ ...gemini, schema: budgetShare, default: '0.6' }),

  'claude.model_headers_settings': option({ ...claude, schema: headersByModel, default: '{}' }),
  'claude.default_max_tokens': option({
    ...claude,
    schema: maxTokensByModel,
    default: JSON.stringify({ default: 8192 }, undefined, 2),
  }),
  'claude.thinking_adapter_enabled': option({ ...claude, schema: flag, default: 'true' }),
  'claude.thinking_adapter_budget_tokens_percentage': option({ ...claude, schema: budgetShare, default: '0.8' }),
};
