import type { ClientSide, UpstreamSide } from '../conversation/converse.js';
import { overrideFor } from '../json/member-rules.js';
import { withJsonWord } from './json-word.js';
import { withNamedLimit } from './output-limit.js';
import { withCacheMarks, withoutCacheMarks } from './cache-marks.js';
import type { Quirks } from './quirks.js';
import { readChatReply } from './read-reply.js';
import { readChatRequest } from './read-request.js';
import { chatShape } from './request-shape.js';
import { chatStreamReader } from './read-stream.js';
import { acceptedBy } from './reasoning.js';
import { upstreamRequest } from './request.js';
import { writeChatReply } from './write-reply.js';
import { refuseRemoteFiles, writeChatRequest } from './write-request.js';
import { chatStreamWriter } from './write-stream.js';

export const chatClient: ClientSide = {
  dialect: 'openai',
  errorCode: 'invalid_text_request',
  conversationAt: 'messages',
  faultIn: chatShape,
  schemaAt: 'response_format',
  minimalRequest: { messages: [{ role: 'user', content: '...' }] },
  readRequest: readChatRequest,
  writeReply: writeChatReply,
  writer: chatStreamWriter,
};

/** OpenAI-compatible upstreams for clients of other dialects. */
export function chatUpstream(quirks: Quirks, path: string): UpstreamSide {
  const usageQuirks = quirks.usage ?? {};
  return {
    writeRequest(asked, request, target) {
      if (!quirks.fetchesFiles) refuseRemoteFiles(asked);
      const conversation = withJsonWord(acceptedBy(target.model, asked));
      const written = quirks.cacheMarks
        ? withCacheMarks(writeChatRequest(conversation), conversation)
        : writeChatRequest({ ...conversation, turns: withoutCacheMarks(conversation.turns) });
      const json = withNamedLimit(target.model, written);
      const converted = { ...request, json, bytes: Buffer.from(JSON.stringify(json)) };
      return upstreamRequest(converted, { ...target, paramOverride: overrideFor(request, target) }, quirks, path);
    },
    readReply: (body, context) => readChatReply(body, context, usageQuirks),
    givesChoices: true,
    takesSchema: !quirks.lacksSchema,
    reader: chatStreamReader(usageQuirks),
  };
}
