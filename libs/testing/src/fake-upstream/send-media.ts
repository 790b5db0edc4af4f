import { type Outlet, sendBody, sendFrames, sendPieces } from './answer.js';
import type { FakeExchange, JsonObject } from './dialects.js';
import {
  imageFrames,
  imagesReply,
  moderationsReply,
  soundFrames,
  soundOf,
  soundType,
  wordFrames,
  wordsReply,
} from './media.js';

export type MediaEndpoint = 'images' | 'speech' | 'words' | 'moderations';
const endpoints: readonly string[] = ['images', 'speech', 'words', 'moderations'] satisfies MediaEndpoint[];

export const isMedia = (endpoint: string): endpoint is MediaEndpoint => endpoints.includes(endpoint);

interface MediaExchange {
  endpoint: MediaEndpoint;
  path: string;
  body: JsonObject;
  exchange: FakeExchange;
}

export async function sendMedia(outlet: Outlet, { endpoint, path, body, exchange }: MediaExchange): Promise<void> {
  if (endpoint === 'moderations') return sendBody(outlet, 200, moderationsReply(body, exchange));
  if (endpoint === 'speech' && body.stream_format === 'sse') return sendFrames(outlet, soundFrames(exchange));
  if (endpoint === 'speech') return sendPieces(outlet, soundType(body), soundOf(exchange));
  if (endpoint === 'words' && String(body.stream) === 'true') return sendFrames(outlet, wordFrames(exchange));
  if (endpoint === 'words') {
    const { text, contentType } = wordsReply(body, exchange);
    return sendBody(outlet, 200, text, { 'content-type': contentType });
  }
  const kind = path.endsWith('edits') ? 'edit' : 'generation';
  if (String(body.stream) === 'true') return sendFrames(outlet, imageFrames(body, exchange, kind));
  sendBody(outlet, 200, imagesReply(body, exchange));
}
