import {
  arrayOf,
  isPlainObject,
  type Json,
  type JsonObject,
  objectOf,
  shownIn,
  textOf,
  withoutPictures,
} from '@tollgate/providers';

// Pictures of the model in the texts of earlier answers, in the dialects whose clients get them as text.

const isTextPart = ({ type }: JsonObject): boolean => type === 'text' || type === 'output_text';

/** Characters of those pictures in a message that channels of another dialect never send as text. */
export function shownLength({ role, content }: JsonObject): number {
  if (role !== 'assistant') return 0;
  if (typeof content === 'string') return shownIn(content).shown;
  const parts = arrayOf(content).map(objectOf).filter(isTextPart);
  return parts.reduce((sum, { text }) => sum + shownIn(textOf(text)).shown, 0);
}

/** A message as it is sent without those pictures. */
export function withoutShown(message: JsonObject): JsonObject {
  const { role, content } = message;
  if (role !== 'assistant') return message;
  if (typeof content === 'string') return { ...message, content: withoutPictures(content) };
  return Array.isArray(content) ? { ...message, content: content.map(wordsOfPart) } : message;
}

const wordsOfPart = (part: Json): Json =>
  isPlainObject(part) && isTextPart(part) ? { ...part, text: withoutPictures(textOf(part.text)) } : part;

/** Number of those pictures in a message. */
export const picturesOfAnswer = ({ role, content, refusal }: JsonObject): number =>
  role === 'assistant' ? picturesOf(content, 0) + picturesOf(refusal, 0) : 0;

/** The pictures in a text or in whatever a dialect reads as text of a part, such as a refusal or a search result. */
function picturesOf(content: Json | undefined, depth: number): number {
  if (typeof content === 'string') return shownIn(content).pictures;
  if (depth > 3) return 0;
  return arrayOf(content).reduce<number>((sum, item) => {
    const { text, refusal, title, source, content: inner } = objectOf(item);
    const { data, content: blocks } = objectOf(source);
    const texts = [text, refusal, title, source, data, inner, blocks];
    return texts.reduce<number>((pictures, said) => pictures + picturesOf(said, depth + 1), sum);
  }, 0);
}
