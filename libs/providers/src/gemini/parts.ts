import type { Searches } from '@tollgate/contracts';
import type { JsonObject } from '../adapter.js';
import type { Part } from '../conversation/conversation.js';
import type { EventPart } from '../stream/event-part.js';
import { arrayOf, isObject, textOf } from '../json/json.js';
import { statedSearches } from '../request/search-tools.js';
import { field, listAt, objectAt, textAt } from './fields.js';
import { callPart } from './read-request.js';

/** Code that Google ran, or its output, as a fenced text part; `around` separates it from the text before and after. */
const fenced = (language: string, code: string, around: string): Part => ({
  type: 'text',
  text: `${around}\`\`\`${language}\n${code}\n\`\`\`${around}`,
});

/** Parts of a candidate's content; unknown kinds are skipped. */
export function replyParts(content: JsonObject, around = '\n'): Part[] {
  return listAt(content, 'parts').flatMap((part): Part[] => {
    if (typeof part.text === 'string')
      return part.text === '' ? [] : [{ type: part.thought === true ? 'thinking' : 'text', text: part.text }];
    if (isObject(field(part, 'functionCall'))) return [callPart(part)];
    const inline = objectAt(part, 'inlineData');
    const mimeType = textAt(inline, 'mimeType');
    if (mimeType.startsWith('image/')) return [{ type: 'image', source: { mimeType, data: textOf(inline.data) } }];
    const code = objectAt(part, 'executableCode');
    if (textOf(code.code)) return [fenced(textOf(code.language).toLowerCase(), textOf(code.code), around)];
    const output = textAt(objectAt(part, 'codeExecutionResult'), 'output');
    return output ? [fenced('output', output, around)] : [];
  });
}

const isLine = ({ type }: Part): boolean => type === 'text' || type === 'image';
const isBlank = (part: Part): boolean => part.type === 'text' && part.text === '\n';

/** Parts of a complete answer, with line breaks between texts and pictures. */
export function linesOf(content: JsonObject): Part[] {
  const lines: Part[] = [];
  let hasBegun = false;
  for (const part of replyParts(content, '').filter((one) => !isBlank(one))) {
    if (hasBegun && isLine(part)) addText(lines, '\n');
    hasBegun ||= isLine(part);
    if (part.type === 'text') addText(lines, part.text);
    else lines.push(part);
  }
  return lines;
}

function addText(lines: Part[], text: string): void {
  const last = lines.at(-1);
  if (last?.type === 'text') lines.splice(-1, 1, { ...last, text: last.text + text });
  else lines.push({ type: 'text', text });
}

/** Number of pictures in a reply or chunk. */
export const picturesIn = (json: JsonObject): number =>
  listAt(json, 'candidates')
    .flatMap((candidate) => replyParts(objectAt(candidate, 'content')))
    .filter(({ type }) => type === 'image').length;

const spoken = (part: Part): string => {
  if (part.type === 'text' || part.type === 'thinking') return part.text;
  return part.type === 'tool-call' ? part.name + part.arguments : '';
};

const REASONS: Readonly<Record<string, string>> = { STOP: 'stop', MAX_TOKENS: 'length' };

/** Every reason except a normal end and a reached limit is a kind of refusal. Empty while the answer continues. */
export const toFinishReason = (reason: string): string => (reason === '' ? '' : (REASONS[reason] ?? 'content_filter'));

/** A chunk of a stream or a whole reply, as local counting sees it. */
export function readGeminiPart(json: JsonObject): EventPart {
  const candidates = listAt(json, 'candidates');
  const parts = candidates.flatMap((candidate) => replyParts(objectAt(candidate, 'content')));
  const choices = candidates.map((candidate) => ({
    index: choiceAt(candidate),
    isLast: textAt(candidate, 'finishReason') !== '',
  }));
  return {
    text: parts.map(spoken).join(''),
    toolCalls: parts.filter(({ type }) => type === 'tool-call').length,
    isLast: choices.some(({ isLast }) => isLast) || blockReason(json) !== '',
    choices,
    id: textAt(json, 'responseId'),
    model: textAt(json, 'modelVersion'),
  };
}

/** Number of searches in a candidate: each query is one; pages without a stated query mean at least one. */
function searchesFor(candidate: JsonObject): number {
  const metadata = objectAt(candidate, 'groundingMetadata');
  const queries = arrayOf(field(metadata, 'webSearchQueries')).length;
  return Math.max(queries, listAt(metadata, 'groundingChunks').length > 0 ? 1 : 0);
}

/** Number of searches in a complete reply. */
export const groundingSearches = (json: JsonObject): number =>
  listAt(json, 'candidates').reduce((sum, candidate) => sum + searchesFor(candidate), 0);

/** Index of the candidate; Google may omit it for the first one. */
export const choiceAt = ({ index }: JsonObject): number => (typeof index === 'number' ? index : 0);

/**
 * Counts the searches of a stream. Later chunks repeat what earlier ones reported for the same candidate, so the maximum per candidate
 * counts.
 */
export class ReportedSearches {
  private readonly byChoice = new Map<number, number>();

  add(json: JsonObject): void {
    for (const candidate of listAt(json, 'candidates')) {
      const searches = searchesFor(candidate);
      const choice = choiceAt(candidate);
      if (searches > (this.byChoice.get(choice) ?? 0)) this.byChoice.set(choice, searches);
    }
  }

  /** The count as a member of a usage or a text. */
  stated(): { searches?: Searches } {
    return statedSearches({ google: [...this.byChoice.values()].reduce((sum, searches) => sum + searches, 0) });
  }
}

/** Why Google refused to answer the prompt; empty when it did not refuse. */
export const blockReason = (json: JsonObject): string => textAt(objectAt(json, 'promptFeedback'), 'blockReason');
