import type { Dialect, JsonObject, RemoteMedia, UpstreamRequest } from '../adapter.js';
import { sourceOf } from '../conversation/conversation.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { replaceMembers } from '../json/replace-members.js';

/** Quick check, for a body that we wrote ourselves. */
const MARK = '"fileData":{"mimeType":"image/';
/** Only Google itself can read what is stored there. */
const OF_GOOGLE = /^(generativelanguage\.googleapis\.com|youtu\.be|(.+\.)?youtube\.com)$/;

/** The URL of a picture to fetch; empty for every other part. */
function addressIn(part: JsonObject): string {
  const { mimeType, fileUri } = objectOf(part.fileData);
  const url = URL.parse(textOf(fileUri));
  const isFetched = url !== null && /^https?:$/.test(url.protocol) && !OF_GOOGLE.test(url.hostname);
  return isFetched && textOf(mimeType).startsWith('image/') ? textOf(fileUri) : '';
}

function inlined(part: JsonObject, found: ReadonlyMap<string, string>): JsonObject {
  const source = sourceOf(found.get(addressIn(part)) ?? '');
  return 'data' in source ? { inlineData: { mimeType: source.mimeType, data: source.data } } : part;
}

/** URLs of pictures in a converted request, which only newer models fetch. Google's own clients get Google's answer to theirs. */
export function remotePictures(request: UpstreamRequest, client: Dialect): RemoteMedia | undefined {
  const { body } = request;
  if (client === 'gemini' || !body?.includes(MARK)) return undefined;
  const contents = arrayOf(parseObject(body.toString('utf8'))?.contents).map(objectOf);
  const partsOf = (content: JsonObject): JsonObject[] => arrayOf(content.parts).map(objectOf);
  const urls = contents.flatMap(partsOf).map(addressIn).filter(Boolean);
  if (urls.length === 0) return undefined;
  return {
    urls,
    isOptional: true,
    inlined: (found) => ({
      ...request,
      body: replaceMembers(
        body,
        new Map([
          [
            'contents',
            contents.map((content) => ({ ...content, parts: partsOf(content).map((part) => inlined(part, found)) })),
          ],
        ]),
      ),
    }),
  };
}
