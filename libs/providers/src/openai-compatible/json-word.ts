import { type Conversation, isText } from '../conversation/conversation.js';

/** OpenAI refuses a request for JSON without a schema unless a message has this word. Clients of other dialects cannot know that. */
const WORD = /json/i;

/** The conversation with the word, if it is needed. */
export function withJsonWord(conversation: Conversation): Conversation {
  const { json, system, turns } = conversation;
  if (!json || json.schema) return conversation;
  const isSaid = [{ parts: system }, ...turns].some(({ parts }) =>
    parts.some((part) => isText(part) && WORD.test(part.text)),
  );
  return isSaid ? conversation : { ...conversation, system: [...system, { type: 'text', text: 'Answer in JSON.' }] };
}
