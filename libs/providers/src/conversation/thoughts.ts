import type { Part, StreamEvent } from './conversation.js';

// The channel's setting `thinking_to_content`: thoughts are sent as text between tags, to clients of every dialect.

export const OPEN_THOUGHT = '<think>\n';
export const CLOSE_THOUGHT = '\n</think>\n';

export const thoughtsAsText = (parts: Part[]): Part[] =>
  parts.map((part) =>
    part.type === 'thinking' ? { type: 'text', text: OPEN_THOUGHT + part.text + CLOSE_THOUGHT } : part,
  );

/** `open` holds the answers with an open think tag. One mutable set for the whole stream. */
export function thoughtAsText(event: StreamEvent, open: Set<number>): StreamEvent[] {
  if (event.type === 'start') return [event];
  const { choice } = event;
  const isThinking = open.has(choice);
  if (event.type === 'reasoning') {
    open.add(choice);
    return [{ type: 'text', choice, text: (isThinking ? '' : OPEN_THOUGHT) + event.text }];
  }
  if (!isThinking || (event.type === 'text' && event.text === '')) return [event];
  open.delete(choice);
  return [{ type: 'text', choice, text: CLOSE_THOUGHT }, event];
}
