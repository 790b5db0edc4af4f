import type { Json, JsonObject, RemoteMedia, UpstreamRequest } from '../adapter.js';
import { arrayOf, isObject, objectOf, parseObject, textOf } from '../json/json.js';
import { replaceMembers } from '../json/replace-members.js';

const MARK = '"image_url"';
const REMOTE = /^https?:\/\//i;

/** The URL may be a string or in an object. */
const addressIn = (part: JsonObject): string =>
  typeof part.image_url === 'string' ? part.image_url : textOf(objectOf(part.image_url).url);

const isRemote = (item: Json): boolean => objectOf(item).type === 'image_url' && REMOTE.test(addressIn(objectOf(item)));

const partsIn = (message: Json): Json[] => arrayOf(objectOf(message).content);

function inlined(item: Json, found: ReadonlyMap<string, string>): Json {
  if (!isRemote(item)) return item;
  const part = objectOf(item);
  const url = found.get(addressIn(part)) ?? addressIn(part);
  return { ...part, image_url: isObject(part.image_url) ? { ...part.image_url, url } : { url } };
}

/** Pictures in a chat that are URLs: an Ollama server fetches none. */
export function remoteImages(request: UpstreamRequest): RemoteMedia | undefined {
  const { body } = request;
  if (!body?.includes(MARK)) return undefined;
  const messages = arrayOf(parseObject(body.toString('utf8'))?.messages);
  const urls = messages.flatMap((message) =>
    partsIn(message)
      .filter(isRemote)
      .map((item) => addressIn(objectOf(item))),
  );
  if (urls.length === 0) return undefined;
  return {
    urls,
    inlined(found) {
      const changed = messages.map((message) => {
        const { content } = objectOf(message);
        return Array.isArray(content)
          ? { ...objectOf(message), content: content.map((item) => inlined(item, found)) }
          : message;
      });
      return { ...request, body: replaceMembers(body, new Map([['messages', changed]])) };
    },
  };
}
