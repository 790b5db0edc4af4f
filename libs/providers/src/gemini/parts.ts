import type { Searches } from '@tollgate/contracts';
import type { JsonObject } from '../adapter.js';
import type { Part } from '../conversation/conversation.js';
import type { EventPart } from '../transcript.js';
import { arrayOf, isObject, textOf } from '../json.js';
import { statedSearches } from '../search-tools.js';
import { field, listAt, objectAt, textAt } from './fields.js';
import { callPart } from './read-request.js';

const fenced = (language: string, code: string): Part => ({
  type: 'text',
  text: `\n\`\`\`${language}\n${code}\n\`\`\`\n`,
});

/** What a candidate says. Code that Google ran, and what it printed, become text; whatever else is unknown is left out. */
export function replyParts(content: JsonObject): Part[] {
  return listAt(content, 'parts').flatMap((part): Part[] => {
    if (typeof part.text === 'string')
      return part.text === '' ? [] : [{ type: part.thought === true ? 'thinking' : 'text', text: part.text }];
    if (isObject(field(part, 'functionCall'))) return [callPart(part)];
    const inline = objectAt(part, 'inlineData');
    const mimeType = textAt(inline, 'mimeType');
    if (mimeType.startsWith('image/')) return [{ type: 'image', source: { mimeType, data: textOf(inline.data) } }];
    const code = objectAt(part, 'executableCode');
    if (textOf(code.code)) return [fenced(textOf(code.language).toLowerCase(), textOf(code.code))];
    const output = textAt(objectAt(part, 'codeExecutionResult'), 'output');
    return output ? [fenced('output', output)] : [];
  });
}

const spoken = (part: Part): string => {
  if (part.type === 'text' || part.type === 'thinking') return part.text;
  return part.type === 'tool-call' ? part.name + part.arguments : '';
};

const REASONS: Readonly<Record<string, string>> = { STOP: 'stop', MAX_TOKENS: 'length' };

/** Anything but an end and a limit is a refusal of some kind; empty while the answer goes on. */
export const toFinishReason = (reason: string): string => (reason === '' ? '' : (REASONS[reason] ?? 'content_filter'));

/** A chunk of a stream or a whole reply, as local counting sees it. */
export function readGeminiPart(json: JsonObject): EventPart {
  const candidates = listAt(json, 'candidates');
  const parts = candidates.flatMap((candidate) => replyParts(objectAt(candidate, 'content')));
  return {
    text: parts.map(spoken).join(''),
    toolCalls: parts.filter(({ type }) => type === 'tool-call').length,
    isLast: candidates.some((candidate) => textAt(candidate, 'finishReason') !== '') || blockReason(json) !== '',
    id: textAt(json, 'responseId'),
    model: textAt(json, 'modelVersion'),
  };
}

/** Searches that Google tells of: each query is one, and what was found without telling a query took one at least. */
function searchesFor(candidate: JsonObject): number {
  const metadata = objectAt(candidate, 'groundingMetadata');
  const queries = arrayOf(field(metadata, 'webSearchQueries')).length;
  return Math.max(queries, listAt(metadata, 'groundingChunks').length > 0 ? 1 : 0);
}

/** Those of a whole reply. */
export const groundingSearches = (json: JsonObject): number =>
  listAt(json, 'candidates').reduce((sum, candidate) => sum + searchesFor(candidate), 0);

/** Which of several answers it is; the first one need not say so. */
export const choiceAt = ({ index }: JsonObject): number => (typeof index === 'number' ? index : 0);

/** Those of a stream, in which a later chunk repeats what an earlier one tells of the same answer. */
export class ToldSearches {
  private readonly byChoice = new Map<number, number>();

  add(json: JsonObject): void {
    for (const candidate of listAt(json, 'candidates')) {
      const searches = searchesFor(candidate);
      const choice = choiceAt(candidate);
      if (searches > (this.byChoice.get(choice) ?? 0)) this.byChoice.set(choice, searches);
    }
  }

  /** As a member of a usage or a text. */
  stated(): { searches?: Searches } {
    return statedSearches({ google: [...this.byChoice.values()].reduce((sum, searches) => sum + searches, 0) });
  }
}

/** Why Google did not answer the prompt at all; empty when it did. */
export const blockReason = (json: JsonObject): string => textAt(objectAt(json, 'promptFeedback'), 'blockReason');
