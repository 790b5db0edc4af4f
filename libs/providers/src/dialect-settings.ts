import type { OptionKey, OptionValue } from '@tollgate/contracts';
import type { DialectSettings } from './adapter.js';

const AZURE_API_VERSION = '2024-12-01-preview';

interface Options {
  get<Key extends OptionKey>(key: Key): OptionValue<Key>;
}

/** The options that shape upstream requests, in the words of the adapters; the same for the relay and for a test of a channel. */
export const dialectSettings = (options: Options, forceStreamUsage: boolean): DialectSettings => ({
  claude: {
    defaultMaxTokens: options.get('claude.default_max_tokens'),
    modelHeaders: options.get('claude.model_headers_settings'),
    thinkingAdapterEnabled: options.get('claude.thinking_adapter_enabled'),
    thinkingBudgetPercentage: options.get('claude.thinking_adapter_budget_tokens_percentage'),
  },
  gemini: {
    safetySettings: options.get('gemini.safety_settings'),
    versionSettings: options.get('gemini.version_settings'),
    imageModels: options.get('gemini.supported_imagine_models'),
    thinkingAdapterEnabled: options.get('gemini.thinking_adapter_enabled'),
    thinkingBudgetPercentage: options.get('gemini.thinking_adapter_budget_tokens_percentage'),
  },
  forceStreamUsage,
  azureApiVersion: AZURE_API_VERSION,
  product: { name: options.get('SystemName'), url: options.get('ServerAddress') },
});
