import {
  anyObject,
  body,
  byType,
  list,
  members,
  number,
  present,
  required,
  type Shape,
  text,
  textOr,
  word,
} from '../conversation/shapes.js';

const source = byType({
  base64: members({ media_type: required(text), data: required(text) }),
  url: members({ url: required(text) }),
  text: members({ data: present(text) }),
  content: members({ content: (value, at) => present(content)(value, at) }),
  file: members({ file_id: text }),
});

const block = byType({
  text: members({ text: present(text) }),
  image: members({ source: required(source) }),
  document: members({ source: required(source), title: text }),
  search_result: members({ content: (value, at) => present(list(block))(value, at) }),
  thinking: members({ thinking: present(text) }),
  tool_use: members({ id: required(text), name: required(text), input: anyObject }),
  tool_result: members({ tool_use_id: required(text), content: (value, at) => content(value, at) }),
});

const content: Shape = textOr(list(block));

const tool = byType(
  { custom: members({ name: required(text), input_schema: required(anyObject) }) },
  // What has no type is the client's own.
  'custom',
);

const choice = byType({ tool: members({ name: required(text) }) });

/** What a request of Anthropic's dialect that is written anew must look like. */
export const messagesShape = body({
  system: textOr(list(byType({ text: members({ text: present(text) }) }))),
  messages: list(members({ role: required(word('user', 'assistant')), content: present(content) })),
  tools: list(tool),
  tool_choice: choice,
  temperature: number,
  top_p: number,
  top_k: number,
  stop_sequences: list(text),
  thinking: anyObject,
  metadata: anyObject,
});
