import type { ClientSide, UpstreamSide } from '../conversation/converse.js';
import { limitedBy } from '../conversation/unchanged.js';
import { readMessagesReply } from './read-reply.js';
import { readMessagesRequest } from './read-request.js';
import { messagesShape } from './request-shape.js';
import { messagesStreamReader } from './read-stream.js';
import { conversationToUpstream } from './request.js';
import { writeMessagesReply } from './write-reply.js';
import { messagesStreamWriter } from './write-stream.js';

export const messagesClient: ClientSide = {
  dialect: 'anthropic',
  errorCode: 'invalid_claude_request',
  conversationAt: 'messages',
  faultIn: messagesShape,
  schemaAt: 'output_config.format',
  readRequest: readMessagesRequest,
  writeReply: writeMessagesReply,
  writer: messagesStreamWriter,
};

export const anthropicUpstream: UpstreamSide = {
  writeRequest: conversationToUpstream,
  readReply: readMessagesReply,
  reader: messagesStreamReader,
  emptiesUnreadable: true,
  // Anthropic, Bedrock and Vertex accept schemas. For a model too old for them, the upstream itself answers with an error.
  takesSchema: true,
  raw: limitedBy('max_tokens'),
};
