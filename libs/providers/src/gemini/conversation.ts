import type { ClientSide, UpstreamSide } from '../conversation/converse.js';
import { readGeminiReply } from './read-reply.js';
import { readGeminiRequest } from './read-request.js';
import { rawGemini } from './raw.js';
import { geminiShape } from './request-shape.js';
import { geminiStreamReader } from './read-stream.js';
import { conversationToUpstream } from './request.js';
import { writeGeminiReply } from './write-reply.js';
import { geminiStreamWriter } from './write-stream.js';

export const geminiClient: ClientSide = {
  dialect: 'gemini',
  errorCode: 'invalid_gemini_request',
  conversationAt: 'contents',
  faultIn: geminiShape,
  schemaAt: 'generationConfig.responseSchema',
  readRequest: readGeminiRequest,
  writeReply: writeGeminiReply,
  writer: geminiStreamWriter,
};

export const geminiUpstream: UpstreamSide = {
  writeRequest: conversationToUpstream,
  readReply: readGeminiReply,
  givesChoices: true,
  takesSchema: true,
  readsOwnPictures: true,
  reader: geminiStreamReader,
  runsGoogleTools: true,
  raw: rawGemini,
};
