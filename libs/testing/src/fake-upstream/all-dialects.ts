import { chatDialect, completionsDialect, messagesDialect } from './dialects.js';
import { responsesDialect } from './responses.js';

export const dialects = {
  chat: chatDialect,
  completions: completionsDialect,
  messages: messagesDialect,
  responses: responsesDialect,
};
