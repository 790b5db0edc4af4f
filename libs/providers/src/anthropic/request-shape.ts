import {
  anyObject,
  anything,
  body,
  both,
  byType,
  effort,
  filled,
  flag,
  list,
  members,
  number,
  onlyTypes,
  present,
  required,
  type Shape,
  text,
  textOr,
  thinking,
  wholeFrom,
  word,
} from '../conversation/shapes.js';
import { objectOf, textOf } from '../json/json.js';

const bytesOf = {
  base64: members({ media_type: required(text), data: required(text) }),
  url: members({ url: required(text) }),
  file: members({ file_id: text }),
};
const picture = onlyTypes(bytesOf);
const paper = onlyTypes({
  ...bytesOf,
  text: members({ data: present(text) }),
  content: members({ content: (value, at) => present(content)(value, at) }),
});

const cited = members({ title: text, source: text, content: (value, at) => present(list(block))(value, at) });

const block = byType({
  text: members({ text: present(text) }),
  image: members({ source: required(picture) }),
  document: members({ source: required(paper), title: text }),
  search_result: cited,
  thinking: members({ thinking: present(text) }),
  // An encrypted thought, dropped like all other thoughts.
  redacted_thinking: anything,
  tool_use: members({ id: required(text), name: required(text), input: anyObject }),
  tool_result: members({ tool_use_id: required(text), content: (value, at) => found(value, at) }),
});

const NO_RESULTS = ['thinking', 'redacted_thinking', 'tool_use', 'tool_result'];

const result: Shape = (value, at) => {
  const type = textOf(objectOf(value).type);
  return NO_RESULTS.includes(type)
    ? { at: `${at}.type`, text: `field ${at}.type is invalid: ${type} is no result` }
    : block(value, at);
};

/** The content of a tool result: thoughts and tool calls are not allowed in it. */
const found: Shape = textOr(list(result));

const content: Shape = textOr(list(block));

const tool = byType(
  { custom: members({ name: required(text), input_schema: required(anyObject), strict: flag }) },
  // A tool without a type is a client tool.
  'custom',
);

const choice = onlyTypes({ auto: anything, any: anything, none: anything, tool: members({ name: required(text) }) });

/** Structured output by a JSON schema. */
const format = onlyTypes({ json_schema: members({ schema: required(anyObject) }) });

/** What the operator of an application says: texts only. */
const instructions: Shape = textOr(list(onlyTypes({ text: members({ text: present(text) }) })));

const contents: Readonly<Record<string, Shape>> = {
  user: both(content, filled),
  assistant: content,
  system: instructions,
};

const message = both(members({ role: required(word(...Object.keys(contents))) }), (value, at) =>
  members({ content: present(contents[textOf(objectOf(value).role)] ?? content) })(value, at),
);

/** Checks a request in Anthropic's dialect before it is converted to another dialect. */
export const messagesShape = body({
  system: instructions,
  messages: list(message),
  // 0 means no limit.
  max_tokens: wholeFrom(0),
  tools: list(tool),
  tool_choice: choice,
  temperature: number,
  top_p: number,
  top_k: number,
  stop_sequences: list(text),
  thinking,
  output_config: members({ effort, format }),
  output_format: format,
  metadata: anyObject,
});
