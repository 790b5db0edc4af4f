import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, objectOf, textOf } from '../json/json.js';

/** A web page cited as a source in an answer. `start` and `end` are positions in the text of the answer, in UTF-16 code units. */
export interface Citation {
  url: string;
  title: string;
  start: number;
  end: number;
}

/** Citations beyond this number are dropped. */
const MOST = 1000;

const placeOf = (value: Json | undefined): number =>
  Number.isInteger(value) && Number(value) >= 0 ? Number(value) : 0;

/** Reads the citations out of OpenAI's `annotations`, of a message or of a delta. */
export const citationsIn = (annotations: Json | undefined): Citation[] =>
  arrayOf(annotations)
    .slice(0, MOST)
    .map((item) => objectOf(objectOf(item).url_citation))
    .filter(({ url }) => textOf(url) !== '')
    .map(({ url, title, start_index: start, end_index: end }) => ({
      url: textOf(url),
      title: textOf(title),
      start: placeOf(start),
      end: placeOf(end),
    }));

/** A citation with OpenAI's member names, which chat wraps in another object. */
const urlCitation = ({ url, title, start, end }: Citation): JsonObject => ({
  start_index: start,
  end_index: end,
  title,
  url,
});

export const chatAnnotation = (citation: Citation): JsonObject => ({
  type: 'url_citation',
  url_citation: urlCitation(citation),
});

export const responsesAnnotation = (citation: Citation): JsonObject => ({
  type: 'url_citation',
  ...urlCitation(citation),
});

/**
 * A citation for Anthropic clients. Its `encrypted_index` can only be issued by Anthropic, so it is empty. `text` is that of the answer, if
 * known.
 */
export const messagesCitation = ({ url, title, start, end }: Citation, text = ''): JsonObject => ({
  type: 'web_search_result_location',
  cited_text: text.slice(start, end),
  encrypted_index: '',
  title,
  url,
});

/** Google's grounding metadata: the pages and, if the text is known, which byte range of it cites which page. */
export function groundingOf(citations: readonly Citation[], text?: string): JsonObject {
  if (citations.length === 0) return {};
  const bytesTo = (end: number): number => Buffer.byteLength((text ?? '').slice(0, end));
  const supports = citations.map(({ start, end }, index) => ({
    segment: { startIndex: bytesTo(start), endIndex: bytesTo(end), text: (text ?? '').slice(start, end) },
    groundingChunkIndices: [index],
  }));
  return {
    groundingMetadata: {
      groundingChunks: citations.map(({ url, title }) => ({ web: { uri: url, title } })),
      ...(text !== undefined && { groundingSupports: supports }),
    },
  };
}

/** Characters of a citation held in memory. */
export const sizeOfCitation = ({ url, title }: Citation): number => url.length + title.length;
