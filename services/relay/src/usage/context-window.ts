/**
 * The context windows of models in tokens, by the beginning of their names; the first matching row applies.
 * https://platform.openai.com/docs/models
 */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-(?:4o|4-turbo|4\.5|4-1106|4-0125|4-vision|realtime|audio|oss)|^chatgpt-4o|^gpt-5[^/]*-chat/, 131_072],
  [/^gpt-5(?:-|$)|^gpt-5\.[0-3]|^codex-/, 400_000],
  [/^o\d/, 200_000],
  [/^gpt-4-32k/, 32_768],
  [/^gpt-4(?:-0[36]1[34])?$/, 8192],
  [/^gpt-3\.5/, 16_385],
];
/** The largest of all windows, used for unknown models. */
export const LARGEST_WINDOW = 1_050_000;

export const contextWindow = (model: string): number =>
  WINDOWS.find(([name]) => name.test(model))?.[1] ?? LARGEST_WINDOW;

/** The largest window of these models. */
export const largestWindow = (models: readonly string[]): number => Math.max(...models.map(contextWindow));
