import type { ClientSide, UpstreamSide } from '../conversation/converse.js';
import { readGeminiReply } from './read-reply.js';
import { readGeminiRequest } from './read-request.js';
import { geminiStreamReader } from './read-stream.js';
import { conversationToUpstream } from './request.js';
import { writeGeminiReply } from './write-reply.js';
import { geminiStreamWriter } from './write-stream.js';

export const geminiClient: ClientSide = {
  dialect: 'gemini',
  readRequest: readGeminiRequest,
  writeReply: writeGeminiReply,
  writer: geminiStreamWriter,
};

export const geminiUpstream: UpstreamSide = {
  writeRequest: conversationToUpstream,
  readReply: readGeminiReply,
  reader: geminiStreamReader,
};
