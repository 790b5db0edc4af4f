/** Upper bounds for one answer and one picture of a model, as published by its provider. */
interface ModelLimits {
  /** Tokens of one answer, including reasoning. */
  outputTokens: number;
  /** Tokens of one picture in the prompt. */
  imageTokens: number;
}

/** For most models. Claude and Gemini count fewer tokens per picture, OpenAI's larger models up to 1 500. */
const IMAGE_TOKENS = 5000;

/**
 * For models without a row. Generous, because a bound too low risks an overdraft, and one too high only refuses wallets with little quota
 * earlier.
 */
export const UNKNOWN_MODEL: ModelLimits = { outputTokens: 131_072, imageTokens: 20_000 };

type Row = readonly [name: RegExp, outputTokens: number, imageTokens?: number];

/**
 * Known model families; the first matching row applies, so a special name precedes its family. If a provider publishes no limit for
 * answers, the context window is used. Models without a row get the generous default.
 */
const rows: readonly Row[] = [
  // OpenAI. Its small models multiply the tokens of a picture, so that a picture costs the same on all models.
  [/^gpt-3\.5-turbo-16k/, 16_385],
  [/^gpt-3\.5/, 4096],
  [/^gpt-4-32k/, 32_768],
  [/^gpt-4-(turbo|1106|0125|vision)/, 4096],
  [/^gpt-4o-2024-05-13/, 4096],
  [/^gpt-4o-mini/, 16_384, 48_169],
  [/^(chatgpt-4o|gpt-4o)/, 16_384],
  [/^gpt-4\.1/, 32_768],
  [/^gpt-4\.5/, 16_384],
  [/^gpt-4($|-0)/, 8192],
  [/^gpt-5-chat/, 16_384],
  [/^gpt-5/, 128_000],
  [/^gpt-oss/, 131_072],
  [/^o1-mini/, 65_536],
  [/^o1-preview/, 32_768],
  [/^(o\d|codex-mini)/, 100_000],
  [/^(davinci|babbage)-002/, 16_384],
  // Anthropic
  [/^claude-(instant|2)/, 4096],
  [/^claude-3[.-]5/, 8192],
  [/^claude-3[.-]7/, 128_000],
  [/^claude-3/, 4096],
  [/^claude-opus-4(-1)?(-20\d+)?(-thinking)?$/, 32_000],
  [/^claude-(sonnet|haiku|opus)-4/, 128_000],
  // Google
  [/^gemini-(1|2\.0|pro)(?!.*thinking)/, 8192],
  [/^gemini/, 65_536],
  // DeepSeek
  [/^deepseek-(chat|coder|v2)/, 8192],
  [/^deepseek/, 65_536],
  // Alibaba. The second number is the most tokens a picture has with Qwen's vision models.
  [/^qwen.*-vl/, 32_768, 16_384],
  [/^(qwen2\.5|qwen-(max|turbo|plus|long))/, 32_768, 16_384],
  // Zhipu
  [/^glm-4\.[5-9]/, 131_072],
  [/^glm-z1/, 32_768],
  [/^glm-(3|4)/, 16_384],
  // Moonshot
  [/^moonshot-v1-8k/, 8192],
  [/^moonshot-v1-32k/, 32_768],
  // Cohere, Yi
  [/^command-r/, 4096],
  [/^command-a/, 8192],
  [/^yi-/, 16_384],
];

const known = new Map<string, ModelLimits>();
/** Size limit of the cache. Names come from channels and price tables; unknown names of clients are refused before this is called. */
const MOST_NAMES = 5000;

/** The token limits of a model, by its name with or without a `vendor/` prefix. */
export function modelLimits(model: string): ModelLimits {
  let limits = known.get(model);
  if (!limits) {
    const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
    const row = rows.find(([pattern]) => pattern.test(name));
    limits = row ? { outputTokens: row[1], imageTokens: row[2] ?? IMAGE_TOKENS } : UNKNOWN_MODEL;
    if (known.size >= MOST_NAMES) known.clear();
    known.set(model, limits);
  }
  return limits;
}
