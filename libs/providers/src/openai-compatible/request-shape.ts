import {
  anyObject,
  anyOf,
  anything,
  body,
  both,
  byType,
  effort,
  flag,
  isAnything,
  list,
  members,
  number,
  onlyTypes,
  present,
  required,
  someTool,
  type Shape,
  text,
  textOr,
  thinking,
  unsayable,
  verbosity,
  wantsMoreThanText,
  wholeFrom,
  word,
} from '../conversation/shapes.js';
import { objectOf, textOf } from '../json/json.js';

/** The URL may be a string or in an object. */
const address = textOr(members({ url: required(text) }));

const part = byType({
  text: members({ text: present(text) }),
  refusal: members({ refusal: present(text) }),
  image_url: members({ image_url: required(address) }),
  video_url: members({ video_url: required(address) }),
  input_audio: members({ input_audio: required(members({ data: required(text), format: text })) }),
  file: members({
    file: required(both(members({ file_data: text, file_id: text, filename: text }), anyOf('file_data', 'file_id'))),
  }),
});

const content = textOr(list(part));

/** No dialect allows anything but text in a system message. */
const instructions = textOr(list(onlyTypes({ text: members({ text: present(text) }) })));

const call = members({
  id: text,
  type: word('function'),
  function: required(members({ name: required(text), arguments: text })),
});

const system = members({ content: instructions });

/** What the shape of a message demands by its role. A message without content says nothing, as one with an empty text. */
const saidBy: Readonly<Record<string, Shape>> = {
  system,
  developer: system,
  tool: members({ tool_call_id: required(text) }),
};

/** A message without a role is the user's. */
const spoken: Shape = (value, at) => saidBy[textOf(objectOf(value).role) || 'user']?.(value, at);

const speaker = word('system', 'developer', 'user', 'assistant', 'tool');

const message = both(
  members({
    role: (value, at) => (value === '' ? undefined : speaker(value, at)),
    content,
    refusal: text,
    tool_calls: list(call),
    function_call: unsayable(isAnything, 'send tool_calls'),
    audio: unsayable(isAnything, 'send what was said as text'),
    tool_call_id: text,
    name: text,
  }),
  spoken,
);

const tool = onlyTypes(
  { function: members({ function: required(members({ name: required(text), parameters: anyObject, strict: flag })) }) },
  'function',
);

const named = members({ function: required(members({ name: required(text) })) });
const allowed = members({
  mode: required(word('auto', 'required')),
  tools: both(required(list(onlyTypes({ function: named }, 'function'))), someTool),
});

const choice: Shape = (value, at) =>
  typeof value === 'string'
    ? word('auto', 'none', 'required')(value, at)
    : byType({ function: named, allowed_tools: members({ allowed_tools: required(allowed) }) }, 'function')(value, at);

const format = onlyTypes({
  text: anything,
  json_object: anything,
  json_schema: members({ json_schema: required(members({ schema: anyObject, strict: flag })) }),
});

/** Checks a chat request before it is converted to another dialect. */
export const chatShape = body({
  messages: list(message),
  tools: list(tool),
  tool_choice: choice,
  parallel_tool_calls: flag,
  response_format: format,
  // 0 means no limit.
  max_tokens: wholeFrom(0),
  max_completion_tokens: wholeFrom(0),
  temperature: number,
  top_p: number,
  top_k: number,
  seed: number,
  presence_penalty: number,
  frequency_penalty: number,
  stop: textOr(list(text)),
  thinking,
  reasoning_effort: effort,
  verbosity,
  user: text,
  stream: flag,
  logit_bias: unsayable(isAnything),
  modalities: unsayable(wantsMoreThanText),
  functions: unsayable(isAnything, 'send tools'),
});
