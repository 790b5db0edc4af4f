import type { Dialect, Json, JsonObject, RemoteMedia, UpstreamRequest } from '../adapter.js';
import { sourceOf } from '../conversation/conversation.js';
import { isObject, objectOf, parseObject, textOf } from '../json/json.js';
import { replaceMembers } from '../json/replace-members.js';

/** Quick check: every request that references a URL contains this text, however its client formats JSON. */
const MARK = '"url"';
/** As `MARK`, for a body that we wrote ourselves. */
const INSECURE_MARK = '"url":"http://';
const REMOTE = /^https?:\/\//i;
const INSECURE = /^http:\/\//;

type Change = (address: string, block: JsonObject) => JsonObject;

const addressOf = (block: JsonObject): string => {
  const { type, url } = objectOf(block.source);
  return type === 'url' ? textOf(url) : '';
};

/** Recursive, because tool results contain blocks themselves. */
function changedBlocks(content: Json | undefined, change: Change): Json | undefined {
  if (!Array.isArray(content)) return content;
  return content.map((item) => {
    if (!isObject(item)) return item;
    const address = addressOf(item);
    const block = address === '' ? item : change(address, item);
    return Array.isArray(block.content) ? { ...block, content: changedBlocks(block.content, change) ?? null } : block;
  });
}

const inlined =
  (found: ReadonlyMap<string, string>): Change =>
  (address, block) => {
    const source = sourceOf(found.get(address) ?? '');
    return 'data' in source
      ? { ...block, source: { type: 'base64', media_type: source.mimeType, data: source.data } }
      : block;
  };

function blocksAt(request: UpstreamRequest, mark: string, fetched: RegExp): RemoteMedia | undefined {
  const { body } = request;
  if (!body?.includes(mark)) return undefined;
  const { messages } = parseObject(body.toString('utf8')) ?? {};
  if (!Array.isArray(messages)) return undefined;
  const changed = (change: Change): Json[] =>
    messages.map((message) =>
      isObject(message) ? { ...message, content: changedBlocks(message.content, change) ?? null } : message,
    );
  const urls: string[] = [];
  changed((address, block) => {
    if (fetched.test(address)) urls.push(address);
    return block;
  });
  if (urls.length === 0) return undefined;
  return {
    urls,
    inlined: (found) => ({
      ...request,
      body: replaceMembers(body, new Map([['messages', changed(inlined(found))]])),
    }),
  };
}

/** URLs in a request to Claude at Amazon or Google, which fetch none. */
export const remoteBlocks = (request: UpstreamRequest): RemoteMedia | undefined => blocksAt(request, MARK, REMOTE);

/** URLs in a request to Anthropic itself, which fetches over https only. Its own clients get its own answer to them. */
export const insecureBlocks = (request: UpstreamRequest, client: Dialect): RemoteMedia | undefined =>
  client === 'anthropic' ? undefined : blocksAt(request, INSECURE_MARK, INSECURE);
