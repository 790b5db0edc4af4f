import type { Json } from '../adapter.js';
import {
  anyObject,
  anyOf,
  anything,
  body,
  both,
  byType,
  effort,
  filled,
  flag,
  isAnything,
  limit,
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
  unsayable,
  verbosity,
  word,
} from '../conversation/shapes.js';
import { arrayOf, objectOf, textOf } from '../json/json.js';
import { namesThought } from './items.js';

const saidText = members({ text: present(text) });

const part = byType({
  input_text: saidText,
  output_text: saidText,
  text: saidText,
  refusal: members({ refusal: present(text) }),
  input_image: both(members({ image_url: text, file_id: text }), anyOf('image_url', 'file_id')),
  input_file: both(
    members({ file_data: text, file_url: text, file_id: text, filename: text }),
    anyOf('file_data', 'file_url', 'file_id'),
  ),
  input_audio: members({ input_audio: required(members({ data: required(text), format: text })) }),
});

const content = textOr(list(part));

/** No dialect allows anything but text in a system message. */
const instructions = textOr(list(onlyTypes({ input_text: saidText, text: saidText, output_text: saidText })));

const saidBy: Readonly<Record<string, Shape>> = {
  system: instructions,
  developer: instructions,
  user: filled,
};

const spoken: Shape = (value, at) => {
  const { role, content: said } = objectOf(value);
  return saidBy[textOf(role)]?.(said, `${at}.content`);
};

/** References are refused, because no items are stored here; those to thoughts are ignored. */
const reference: Shape = (value, at) => {
  if (namesThought(objectOf(value))) return undefined;
  const text = `${at}: item_reference ${textOf(objectOf(value).id)} cannot be looked up: nothing is kept here, send the item itself (clients do with store: false)`;
  return { at, text };
};

const item = byType(
  {
    message: both(
      members({ role: required(word('user', 'assistant', 'system', 'developer')), content: present(content) }),
      spoken,
    ),
    function_call: members({ call_id: required(text), name: required(text), arguments: text }),
    function_call_output: members({ call_id: required(text), output: present(content) }),
    image_generation_call: members({ result: required(text) }),
    reasoning: members({ summary: list(anyObject), content: list(anyObject) }),
    item_reference: reference,
  },
  'message',
);

const tool = byType({ function: members({ name: required(text), parameters: anyObject, strict: flag }) });

const named = members({ name: required(text) });
const allowed = members({
  mode: required(word('auto', 'required')),
  tools: both(required(list(onlyTypes({ function: named }, 'function'))), someTool),
});

const choice: Shape = (value, at) =>
  typeof value === 'string'
    ? word('auto', 'none', 'required')(value, at)
    : byType({ function: named, allowed_tools: allowed })(value, at);

const format = onlyTypes({
  text: anything,
  json_object: anything,
  json_schema: members({ schema: required(anyObject), strict: flag }),
});

const asksLogprobs = (include: Json): boolean => arrayOf(include).some((name) => textOf(name).endsWith('logprobs'));

/** Checks a Responses body before it is converted to another dialect. */
export const responsesShape = body({
  instructions: text,
  input: textOr(list(item)),
  tools: list(tool),
  tool_choice: choice,
  parallel_tool_calls: flag,
  max_output_tokens: limit,
  temperature: number,
  top_p: number,
  reasoning: members({ effort }),
  text: members({ format, verbosity }),
  top_logprobs: unsayable(isAnything),
  include: unsayable(asksLogprobs),
});
