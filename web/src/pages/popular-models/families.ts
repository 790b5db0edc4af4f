import type { PricingRow } from '@tollgate/contracts/api/pricing';

/** Model families by the prefix of the names, in the order in which newcomers look for them. */
const families = {
  gpt: /^(chatgpt|gpt)-/,
  reasoning: /^o\d/,
  claude: /^claude-/,
  gemini: /^(gemini|gemma)-/,
  deepseek: /^deepseek/,
  qwen: /^(qwen|qwq)/,
  llama: /^(meta-)?llama/,
  grok: /^grok-/,
  picture: /^(dall-e|gpt-image|flux|stable|imagen|mj_|swap_face)/,
  sound: /^(whisper|tts|suno|gpt-4o-(mini-)?(tts|transcribe))/,
  embedding: /embed|^bge|rerank/,
} as const;
export type Family = keyof typeof families;
const familyNames = Object.keys(families) as Family[];

/** Models for pictures, sound and embeddings are grouped by that purpose, whatever the prefix of their names. */
const purposes: readonly Family[] = ['picture', 'sound', 'embedding'];
const order: readonly Family[] = [...purposes, ...familyNames.filter((name) => !purposes.includes(name))];

/** The served models per family, newest names first; families without a served model are left out. */
export function served(list: readonly Pick<PricingRow, 'model_name'>[]): { family: Family; models: string[] }[] {
  const found = new Map<Family, string[]>();
  for (const { model_name: model } of list) {
    const family = order.find((name) => families[name].test(model.toLowerCase()));
    if (family) found.set(family, [...(found.get(family) ?? []), model]);
  }
  return familyNames.flatMap((family) => {
    const models = found.get(family);
    return models
      ? [{ family, models: models.sort((one, other) => other.localeCompare(one, 'en', { numeric: true })) }]
      : [];
  });
}
