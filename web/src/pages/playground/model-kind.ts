/** What a model makes: an answer in words, pictures, sound, or words out of sound. */
export type ModelKind = 'chat' | 'picture' | 'speech' | 'words';

const kinds: readonly (readonly [RegExp, ModelKind])[] = [
  [/whisper|transcribe|sensevoice/i, 'words'],
  [/^tts|-tts(?:-|$)|cosyvoice|fish-speech/i, 'speech'],
  [/^(?:dall-e|gpt-image|chatgpt-image|imagen|cogview|wanx|wan2|qwen-image|kolors)/i, 'picture'],
  [/flux|stable-diffusion|grok-2-image|seedream|image-generation/i, 'picture'],
];

/** By its name; whatever is not known to be something else answers in words. */
export const kindOf = (model: string): ModelKind => kinds.find(([pattern]) => pattern.test(model))?.[1] ?? 'chat';
