/** Price of a completion token relative to a prompt token; most models follow the built-in rules of the pricing library instead. */
export const defaultCompletionRatio: Record<string, number> = {
  'gpt-4-gizmo-*': 2,
  'gpt-4o-gizmo-*': 3,
  'gpt-4-all': 2,
  'gpt-image-1': 8,
};

/** Price of a prompt token read from the upstream cache; 1 where absent. */
export const defaultCacheRatio: Record<string, number> = {
  'gpt-4': 0.5,
  o1: 0.5,
  'o1-2024-12-17': 0.5,
  'o1-preview-2024-09-12': 0.5,
  'o1-preview': 0.5,
  'o1-mini-2024-09-12': 0.5,
  'o1-mini': 0.5,
  'o3-mini': 0.5,
  'o3-mini-2025-01-31': 0.5,
  'gpt-4o-2024-11-20': 0.5,
  'gpt-4o-2024-08-06': 0.5,
  'gpt-4o': 0.5,
  'gpt-4o-mini-2024-07-18': 0.5,
  'gpt-4o-mini': 0.5,
  'gpt-4o-realtime-preview': 0.5,
  'gpt-4o-mini-realtime-preview': 0.5,
  'gpt-4.5-preview': 0.5,
  'gpt-4.5-preview-2025-02-27': 0.5,
  'deepseek-chat': 0.25,
  'deepseek-reasoner': 0.25,
  'deepseek-coder': 0.25,
  'claude-3-sonnet-20240229': 0.1,
  'claude-3-opus-20240229': 0.1,
  'claude-3-haiku-20240307': 0.1,
  'claude-3-5-haiku-20241022': 0.1,
  'claude-3-5-sonnet-20240620': 0.1,
  'claude-3-5-sonnet-20241022': 0.1,
  'claude-3-7-sonnet-20250219': 0.1,
  'claude-3-7-sonnet-20250219-thinking': 0.1,
};

/** Price of an image token relative to a prompt token; 1 where absent. */
export const defaultImageRatio: Record<string, number> = {
  'gpt-image-1': 2,
};
