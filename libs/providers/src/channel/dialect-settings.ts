import type { OptionKey, OptionValue } from '@tollgate/contracts';

/** System options that shape upstream requests; names as in the option table. */
export interface DialectSettings {
  claude: {
    defaultMaxTokens: Readonly<Record<string, number>>;
    /** Requested model → header → value. */
    modelHeaders: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
    thinkingAdapterEnabled: boolean;
    thinkingBudgetPercentage: number;
  };
  gemini: {
    /** Harm category → threshold; `default` applies to the others. */
    safetySettings: Readonly<Record<string, string>>;
    /** Requested model → API version. */
    versionSettings: Readonly<Record<string, string>>;
    /** Models that can answer with pictures. */
    imageModels: readonly string[];
    /** Most images in one message; `undefined` for any number. */
    maxImages?: number;
    thinkingAdapterEnabled: boolean;
    thinkingBudgetPercentage: number;
  };
  /** Request usage in streams from upstreams that support it, even when the client did not. */
  forceStreamUsage: boolean;
  /** Omit the steps that a workflow or an agent reports before its answer. */
  hidesSteps?: boolean;
  azureApiVersion: string;
  /** Cohere's safety mode for chats; `undefined` leaves it to Cohere. */
  cohereSafetyMode?: string;
  /** Name and address of this product, for upstreams that want them (OpenRouter). */
  product: { name: string; url: string };
}

interface Options {
  get<Key extends OptionKey>(key: Key): OptionValue<Key>;
}

/** Environment variables that shape upstream requests too. */
interface Variables {
  AZURE_DEFAULT_API_VERSION: string;
  COHERE_SAFETY_SETTING: string;
  DIFY_DEBUG: boolean;
  FORCE_STREAM_OPTION: boolean;
  GEMINI_VISION_MAX_IMAGE_NUM: number;
}

/** Collects the settings for adapters; used both by the relay and for tests of a channel. */
export const dialectSettings = (options: Options, variables: Variables): DialectSettings => ({
  claude: {
    defaultMaxTokens: options.get('claude.default_max_tokens'),
    modelHeaders: options.get('claude.model_headers_settings'),
    thinkingAdapterEnabled: options.get('claude.thinking_adapter_enabled'),
    thinkingBudgetPercentage: options.get('claude.thinking_adapter_budget_tokens_percentage'),
  },
  gemini: {
    safetySettings: options.get('gemini.safety_settings'),
    versionSettings: options.get('gemini.version_settings'),
    ...(variables.GEMINI_VISION_MAX_IMAGE_NUM >= 0 && { maxImages: variables.GEMINI_VISION_MAX_IMAGE_NUM }),
    imageModels: options.get('gemini.supported_imagine_models'),
    thinkingAdapterEnabled: options.get('gemini.thinking_adapter_enabled'),
    thinkingBudgetPercentage: options.get('gemini.thinking_adapter_budget_tokens_percentage'),
  },
  forceStreamUsage: variables.FORCE_STREAM_OPTION,
  hidesSteps: !variables.DIFY_DEBUG,
  azureApiVersion: variables.AZURE_DEFAULT_API_VERSION,
  ...(variables.COHERE_SAFETY_SETTING !== 'NONE' && { cohereSafetyMode: variables.COHERE_SAFETY_SETTING }),
  product: { name: options.get('SystemName'), url: options.get('ServerAddress') },
});
