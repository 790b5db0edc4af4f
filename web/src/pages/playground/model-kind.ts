/** What a model produces: a chat answer, pictures, speech, or a transcription (`words`). */
export type ModelKind = 'chat' | 'picture' | 'speech' | 'words';

const kinds: readonly (readonly [RegExp, ModelKind])[] = [
  [/whisper|transcribe|sensevoice/i, 'words'],
  [/^tts|-tts(?:-|$)|cosyvoice|fish-speech/i, 'speech'],
  [/^(?:dall-e|gpt-image|chatgpt-image|imagen|cogview|wanx|wan2|qwen-image|kolors)/i, 'picture'],
  [/flux|stable-diffusion|grok-2-image|seedream|image-generation/i, 'picture'],
];

/** The kind of a model by its name; `chat` for names that match no pattern. */
export const kindOf = (model: string): ModelKind => kinds.find(([pattern]) => pattern.test(model))?.[1] ?? 'chat';
