import type { ClientSide } from '../conversation/converse.js';
import { readResponsesRequest } from './read-request.js';
import { responsesShape } from './request-shape.js';
import { writeResponsesReply } from './write-reply.js';
import { responsesStreamWriter } from './write-stream.js';

export const responsesClient: ClientSide = {
  dialect: 'responses',
  errorCode: 'invalid_responses_request',
  conversationAt: 'input',
  faultIn: responsesShape,
  schemaAt: 'text.format',
  readRequest: readResponsesRequest,
  writeReply: writeResponsesReply,
  writer: responsesStreamWriter,
};
