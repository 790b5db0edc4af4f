import type { OptionKey, OptionValue } from '@tollgate/contracts';

/** The options of the system that shape upstream requests; names as in the option table. */
export interface DialectSettings {
  claude: {
    defaultMaxTokens: Readonly<Record<string, number>>;
    /** Requested model → header → value. */
    modelHeaders: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
    thinkingAdapterEnabled: boolean;
    thinkingBudgetPercentage: number;
  };
  gemini: {
    /** Category of harm → threshold, `default` for the others. */
    safetySettings: Readonly<Record<string, string>>;
    /** Requested model → version of the API. */
    versionSettings: Readonly<Record<string, string>>;
    /** Models that answer with pictures too. */
    imageModels: readonly string[];
    /** In one message; undefined: any number. */
    maxImages?: number;
    thinkingAdapterEnabled: boolean;
    thinkingBudgetPercentage: number;
  };
  /** Ask upstreams that can for usage in streams, even when the client did not. */
  forceStreamUsage: boolean;
  /** Leave out what a workflow or an agent does before it speaks. */
  hidesSteps?: boolean;
  azureApiVersion: string;
  /** How much Cohere watches over a chat; undefined: as it likes. */
  cohereSafetyMode?: string;
  /** Who we say we are to upstreams that ask (OpenRouter). */
  product: { name: string; url: string };
}

interface Options {
  get<Key extends OptionKey>(key: Key): OptionValue<Key>;
}

/** The variables that shape them too; what the process was started with has them by these names. */
interface Variables {
  AZURE_DEFAULT_API_VERSION: string;
  COHERE_SAFETY_SETTING: string;
  DIFY_DEBUG: boolean;
  FORCE_STREAM_OPTION: boolean;
  GEMINI_VISION_MAX_IMAGE_NUM: number;
}

/** The options that shape upstream requests, in the words of the adapters; the same for the relay and for a test of a channel. */
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
