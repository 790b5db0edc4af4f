import type { Part, Turn } from './conversation.js';

/** Id of the n-th call of a conversation, for clients that send no ids. */
export const callId = (index: number): string => `call_${index}`;

/**
 * Id of a call for which the upstream stated none; `index` counts the calls of an answer. OpenAI refuses ids of more than 40 characters
 * when a client sends the call back, so dashes of the request id are left out.
 */
export const generatedCallId = (prefix: 'call' | 'toolu', requestId: string, index: number): string =>
  `${prefix}_${requestId.replaceAll('-', '')}${index}`;

/**
 * Gives every call an id, and every result its call's id and name. Gemini's clients send only the tool's name, which refers to the first
 * unanswered call with it; chat and Anthropic clients send only the call's id.
 */
export function pairCalls(turns: Turn[], idOf: (index: number) => string): Turn[] {
  const calls: { id: string; name: string; isAnswered: boolean }[] = [];
  const pair = (part: Part): Part => {
    if (part.type === 'tool-call') {
      const id = part.id || idOf(calls.length);
      calls.push({ id, name: part.name, isAnswered: false });
      return { ...part, id };
    }
    if (part.type !== 'tool-result') return part;
    const call = part.callId
      ? calls.findLast(({ id }) => id === part.callId)
      : calls.find(({ name, isAnswered }) => name === part.name && !isAnswered);
    if (call) call.isAnswered = true;
    return { ...part, callId: part.callId || (call?.id ?? ''), name: part.name || (call?.name ?? '') };
  };
  return turns.map(({ role, parts }) => ({ role, parts: parts.map(pair) }));
}

/**
 * Gives a call its own id where an earlier one has the same, for upstreams that refuse that; `written` is how the upstream's dialect spells
 * an id. The results of calls with one id are theirs in the order of the calls. What a conversation begins with keeps its ids as it goes on.
 */
export function distinctCalls(turns: Turn[], written: (id: string) => string): Turn[] {
  const counts = new Map<string, number>();
  const taken = new Set<string>();
  const own = (id: string): string => {
    let [name, count] = [id, counts.get(id) ?? 1];
    for (; taken.has(name); name = `${id}_${count}`) count += 1;
    counts.set(id, count);
    taken.add(name);
    return name;
  };
  const calls = new Map<string, { ids: string[]; answered: number }>();
  const distinct = (part: Part): Part => {
    if (part.type === 'tool-call') {
      const id = own(written(part.id));
      const known = calls.get(part.id);
      if (known) known.ids.push(id);
      else calls.set(part.id, { ids: [id], answered: 0 });
      return { ...part, id };
    }
    if (part.type !== 'tool-result') return part;
    const { ids, answered } = calls.get(part.callId) ?? { ids: [], answered: 0 };
    calls.set(part.callId, { ids, answered: answered + 1 });
    return { ...part, callId: ids[answered] ?? ids.at(-1) ?? written(part.callId) };
  };
  return turns.map(({ role, parts }) => ({ role, parts: parts.map(distinct) }));
}
