import type { JsonObject } from '../src/adapter.js';
import type { ConversationCapability } from '../src/clients/every-client.js';

export const hi = { role: 'user', content: 'hi' };
export const user = (content: JsonObject[string]): JsonObject => ({ messages: [{ role: 'user', content }] });
export const parts = (value: JsonObject[string]): JsonObject => ({ contents: [{ role: 'user', parts: value }] });
export const item = (value: JsonObject): JsonObject => ({ input: [value] });
const TEXT_AT = 'field messages.0.content.0.text is invalid: a text is expected';

export const picture = { type: 'image_url', image_url: { url: 'https://x.example/a.png' } };
export const called = (written: string): JsonObject => ({
  role: 'assistant',
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: written } }],
});

const chat: [JsonObject, string][] = [
  [
    { messages: [{ role: 'system', content: [picture] }, hi] },
    'field messages.0.content.0.type is invalid: one of text is expected',
  ],
  [user([{ type: 'file', file: {} }]), 'field messages.0.content.0.file.file_data is required'],
  [
    { messages: [hi, called('{bad')] },
    'field messages.1.tool_calls.0.function.arguments is invalid: a text with a JSON object is expected',
  ],
  [
    { messages: [hi, called('[1]')] },
    'field messages.1.tool_calls.0.function.arguments is invalid: a text with a JSON object is expected',
  ],
  [{ messages: [{ role: 'system', content: null }] }, 'field messages is invalid: something that is said is expected'],
  [{ messages: [hi, called('{}'), { role: 'tool', content: 'x' }] }, 'field messages.2.tool_call_id is required'],
  [
    { messages: [hi, { role: 'assistant', audio: { id: 'a' } }] },
    'messages.1.audio is not supported by the channels of this model: send what was said as text',
  ],
  [{ messages: [hi], max_tokens: -1 }, 'field max_tokens is invalid: a whole number from 0 is expected'],
  [
    { messages: [hi], max_completion_tokens: 0.5 },
    'field max_completion_tokens is invalid: a whole number from 0 is expected',
  ],
  [{ messages: [null] }, 'field messages.0 is required'],
  [{ messages: ['hi'] }, 'field messages.0 is invalid: an object is expected'],
  [
    { messages: [{ role: 'wizard', content: 'hi' }] },
    'field messages.0.role is invalid: one of system, developer, user, assistant, tool is expected',
  ],
  [user(5), 'field messages.0.content is invalid: a list is expected'],
  [user([{ text: 'hi' }]), 'field messages.0.content.0.type is required'],
  [user([{ type: 'text', text: 5 }]), TEXT_AT],
  [user([{ type: 'text' }]), 'field messages.0.content.0.text is required'],
  [user([{ type: 'image_url' }]), 'field messages.0.content.0.image_url is required'],
  [user([{ type: 'image_url', image_url: { url: '' } }]), 'field messages.0.content.0.image_url.url is required'],
  [
    user([{ type: 'file', file: { file_id: 'f' } }]),
    'messages.0.content.0: files by file_id are not supported: send them with the request',
  ],
  [
    user([{ type: 'wizardry' }]),
    'messages.0.content.0 of type wizardry is not supported by the channels of this model',
  ],
  [
    { messages: [hi], tool_choice: { type: 'zork' } },
    'tool_choice of type zork is not supported by the channels of this model',
  ],
  [
    { messages: [hi], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } } },
    'field tool_choice.allowed_tools.tools is invalid: at least one tool is expected',
  ],
  [
    { messages: [hi], reasoning_effort: 'zork' },
    'field reasoning_effort is invalid: one of none, minimal, low, medium, high, xhigh, max is expected',
  ],
  [{ messages: [hi], verbosity: 'loud' }, 'field verbosity is invalid: one of low, medium, high is expected'],
  [
    { messages: [hi], thinking: { type: 'enabled', budget_tokens: -5 } },
    'field thinking.budget_tokens is invalid: a whole number above 0 is expected',
  ],
  [
    { messages: [hi, { role: 'tool', tool_call_id: 'zz', content: 'res' }] },
    'field messages.1.tool_call_id is invalid: the id of a call that was made before is expected',
  ],
  [
    { messages: [hi], response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } } },
    'response_format with a schema is not supported by the channels of this model: describe what is wanted in the prompt, or ask for any JSON',
  ],
  [
    { messages: [hi, { role: 'assistant', tool_calls: [{ id: 'c', function: {} }] }] },
    'field messages.1.tool_calls.0.function.name is required',
  ],
  [{ messages: [hi], tools: [{ type: 'function' }] }, 'field tools.0.function is required'],
  [
    { messages: [hi], tools: [{ type: 'function', function: { name: 'f', strict: 'yes' } }] },
    'field tools.0.function.strict is invalid: true or false is expected',
  ],
  [
    { messages: [hi], response_format: { type: 'json_schema', json_schema: { schema: {}, strict: 1 } } },
    'field response_format.json_schema.strict is invalid: true or false is expected',
  ],
  [
    { messages: [hi], tool_choice: 'sometimes' },
    'field tool_choice is invalid: one of auto, none, required is expected',
  ],
  [{ messages: [hi], temperature: 'hot' }, 'field temperature is invalid: a number is expected'],
  [{ messages: [hi], stop: 5 }, 'field stop is invalid: a list is expected'],
  [
    { messages: [hi], response_format: { type: 'xml' } },
    'field response_format.type is invalid: one of text, json_object, json_schema is expected',
  ],
  [{ messages: [hi], logit_bias: { 5: 1 } }, 'logit_bias is not supported by the channels of this model'],
  [{ messages: [hi], modalities: ['text', 'audio'] }, 'modalities is not supported by the channels of this model'],
  [
    { messages: [hi], functions: [{ name: 'f' }] },
    'functions is not supported by the channels of this model: send tools',
  ],
  [
    { messages: [hi], n: 2 },
    '2 answers at once are not supported by the channels of this model: ask for one at a time',
  ],
];

const messages: [JsonObject, string][] = [
  [
    { messages: [hi], system: [{ type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } }] },
    'field system.0.type is invalid: one of text is expected',
  ],
  [{ messages: [hi], max_tokens: -1 }, 'field max_tokens is invalid: a whole number from 0 is expected'],
  [user([]), 'field messages.0.content is invalid: at least one part is expected'],
  [
    user([{ type: 'image', source: { type: 'magic' } }]),
    'field messages.0.content.0.source.type is invalid: one of base64, url, file is expected',
  ],
  [
    user([{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'tool_use', id: 'd', name: 'f', input: {} }] }]),
    'field messages.0.content.0.content.0.type is invalid: tool_use is no result',
  ],
  [
    { messages: [hi], tool_choice: { type: 'sometimes' } },
    'field tool_choice.type is invalid: one of auto, any, none, tool is expected',
  ],
  [
    { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] }] },
    'field messages is invalid: something that is said is expected',
  ],
  [
    { messages: [{ role: 'tool', content: 'hi' }] },
    'field messages.0.role is invalid: one of user, assistant, system is expected',
  ],
  [{ messages: [{ role: 'user' }] }, 'field messages.0.content is required'],
  [user([{ type: 'text', text: 5 }]), TEXT_AT],
  [user([{ type: 'image' }]), 'field messages.0.content.0.source is required'],
  [user([{ type: 'image', source: { type: 'base64' } }]), 'field messages.0.content.0.source.media_type is required'],
  [
    user([{ type: 'wizardry' }]),
    'messages.0.content.0 of type wizardry is not supported by the channels of this model',
  ],
  ...['server_tool_use', 'web_search_tool_result', 'mcp_tool_use'].map((type): [JsonObject, string] => [
    {
      messages: [
        hi,
        {
          role: 'assistant',
          content: [
            { type, id: 's', content: [] },
            { type: 'text', text: 'x' },
          ],
        },
        hi,
      ],
    },
    `messages.1.content.0 of type ${type} is not supported by the channels of this model`,
  ]),
  [
    user([{ type: 'tool_result', tool_use_id: 'c', content: 'x' }]),
    'field messages.0.content.0.tool_use_id is invalid: the id of a call that was made before is expected',
  ],
  [
    { messages: [hi], thinking: { type: 'enabled', budget_tokens: -5 } },
    'field thinking.budget_tokens is invalid: a whole number above 0 is expected',
  ],
  [
    user([{ type: 'image', source: { type: 'file', file_id: 'f' } }]),
    'messages.0.content.0: files by id are not supported: send them with the request',
  ],
  [user([{ type: 'tool_result', content: 'x' }]), 'field messages.0.content.0.tool_use_id is required'],
  [
    user([{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 5 }] }]),
    'field messages.0.content.0.content.0.text is invalid: a text is expected',
  ],
  [{ messages: [hi], system: 5 }, 'field system is invalid: a list is expected'],
  [{ messages: [hi], tools: [{ name: 'f' }] }, 'field tools.0.input_schema is required'],
  [
    { messages: [hi], tools: [{ name: 'f', input_schema: {}, strict: 'yes' }] },
    'field tools.0.strict is invalid: true or false is expected',
  ],
  [
    { messages: [hi], tools: [{ type: 'bash_20250124', name: 'bash' }] },
    'tools.0 of type bash_20250124 is not supported by the channels of this model',
  ],
];

const gemini: [JsonObject, string][] = [
  [
    parts([{ text: 'AAA', inlineData: { mimeType: 'image/png', data: 'eA==' } }]),
    'field contents.0.parts.0 is invalid: one of text, inlineData is expected',
  ],
  [parts([{ text: 'x' }, { zork: {} }]), 'contents.0.parts.1 with zork is not supported by the channels of this model'],
  [
    parts([{ executableCode: {} }]),
    'contents.0.parts.0 with executableCode is not supported by the channels of this model',
  ],
  [parts([{}]), 'contents.0.parts.0 with nothing in it is not supported by the channels of this model'],
  [
    parts([{ functionResponse: { name: 'f', response: {} } }]),
    'field contents.0.parts.0 is invalid: the id of a call that was made before is expected',
  ],
  [
    { ...parts([{ text: 'hi' }]), generationConfig: { thinkingConfig: { thinkingBudget: -5 } } },
    'field generationConfig.thinkingConfig.thinkingBudget is invalid: a whole number from -1 is expected',
  ],
  [parts([{ fileData: {} }]), 'field contents.0.parts.0.fileData.fileUri is required'],
  [parts([{ file_data: { file_uri: '' } }]), 'field contents.0.parts.0.file_data.file_uri is required'],
  [parts([]), 'field contents.0.parts is invalid: at least one part is expected'],
  [
    {
      ...parts([{ text: 'hi' }]),
      systemInstruction: { parts: [{ inlineData: { mimeType: 'image/png', data: 'eA==' } }] },
    },
    'field systemInstruction.parts.0.text is required',
  ],
  [
    { ...parts([{ text: 'hi' }]), generationConfig: { maxOutputTokens: 0 } },
    'field generationConfig.maxOutputTokens is invalid: a whole number above 0 is expected',
  ],
  [
    { ...parts([{ text: 'hi' }]), generationConfig: { responseMimeType: 'text/x.enum' } },
    'field generationConfig.responseMimeType is invalid: one of text/plain, application/json is expected',
  ],
  [
    { ...parts([{ text: 'hi' }]), toolConfig: { functionCallingConfig: { mode: 'sometimes' } } },
    'field toolConfig.functionCallingConfig.mode is invalid: one of AUTO, NONE, ANY, VALIDATED, MODE_UNSPECIFIED is expected',
  ],
  [
    { ...parts([{ text: 'hi' }]), tools: [{ computerUse: {} }] },
    'tools.0.computerUse is not supported by the channels of this model',
  ],
  ...['googleSearch', 'google_search', 'codeExecution', 'code_execution'].map((tool): [JsonObject, string] => [
    { ...parts([{ text: 'hi' }]), tools: [{ [tool]: {} }] },
    `tools.0.${tool} is not supported by the channels of this model`,
  ]),
  [parts('x'), 'field contents.0.parts is invalid: a list is expected'],
  [parts([{ text: 5 }]), 'field contents.0.parts.0.text is invalid: a text is expected'],
  [{ contents: [{ role: 'user' }] }, 'field contents.0.parts is required'],
  [
    { contents: [{ role: 'wizard', parts: [{ text: 'hi' }] }] },
    'field contents.0.role is invalid: one of user, model, function is expected',
  ],
  [parts([{ inline_data: { mime_type: 'image/png' } }]), 'field contents.0.parts.0.inline_data.data is required'],
  [
    { ...parts([{ text: 'hi' }]), systemInstruction: 'be kind' },
    'field systemInstruction is invalid: an object is expected',
  ],
  [
    { ...parts([{ text: 'hi' }]), generation_config: { top_p: 'x' } },
    'field generation_config.top_p is invalid: a number is expected',
  ],
  [
    { ...parts([{ text: 'hi' }]), generationConfig: { responseLogprobs: true } },
    'generationConfig.responseLogprobs is not supported by the channels of this model',
  ],
  [
    { ...parts([{ text: 'hi' }]), generationConfig: { candidateCount: 3 } },
    '3 answers at once are not supported by the channels of this model: ask for one at a time',
  ],
];

const responses: [JsonObject, string][] = [
  [
    item({ type: 'web_search_call', id: 'ws_1', status: 'completed' }),
    'input.0 of type web_search_call is not supported by the channels of this model',
  ],
  [
    item({ type: 'item_reference', id: 'r' }),
    'input.0: item_reference r cannot be looked up: nothing is kept here, send the item itself (clients do with store: false)',
  ],
  [
    item({ role: 'user', content: [{ type: 'zork' }] }),
    'input.0.content.0 of type zork is not supported by the channels of this model',
  ],
  [
    item({ type: 'function_call_output', call_id: 'zz', output: 'x' }),
    'field input.0.call_id is invalid: the id of a call that was made before is expected',
  ],
  [
    { input: 'hi', tool_choice: { type: 'zork' } },
    'tool_choice of type zork is not supported by the channels of this model',
  ],
  [
    { input: 'hi', tools: [{ type: 'function', name: 'f', strict: 'yes' }] },
    'field tools.0.strict is invalid: true or false is expected',
  ],
  [
    { input: 'hi', text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: 1 } } },
    'field text.format.strict is invalid: true or false is expected',
  ],
  [
    { input: 'hi', tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } },
    'field tool_choice.tools is invalid: at least one tool is expected',
  ],
  [
    { input: 'hi', reasoning: { effort: 'zork' } },
    'field reasoning.effort is invalid: one of none, minimal, low, medium, high, xhigh, max is expected',
  ],
  [
    { input: 'hi', text: { verbosity: 'loud' } },
    'field text.verbosity is invalid: one of low, medium, high is expected',
  ],
  [item({ type: 'reasoning' }), 'field input is invalid: something that is said is expected'],
  [
    item({ role: 'developer', content: [{ type: 'input_image', image_url: 'https://x.example/a.png' }] }),
    'field input.0.content.0.type is invalid: one of input_text, text, output_text is expected',
  ],
  [item({ role: 'user', content: [] }), 'field input.0.content is invalid: at least one part is expected'],
  [item({ role: 'user', content: [{ type: 'input_image' }] }), 'field input.0.content.0.image_url is required'],
  [item({ role: 'user', content: [{ type: 'input_file' }] }), 'field input.0.content.0.file_data is required'],
  [
    item({ type: 'function_call', call_id: 'c', name: 'f', arguments: '{bad' }),
    'field input.0.arguments is invalid: a text with a JSON object is expected',
  ],
  [{ input: 'hi', max_output_tokens: 0 }, 'field max_output_tokens is invalid: a whole number above 0 is expected'],
  [item({ role: 'user', content: 5 }), 'field input.0.content is invalid: a list is expected'],
  [
    item({ role: 'user', content: [{ type: 'input_text', text: 5 }] }),
    'field input.0.content.0.text is invalid: a text is expected',
  ],
  [
    item({ role: 'wizard', content: 'hi' }),
    'field input.0.role is invalid: one of user, assistant, system, developer is expected',
  ],
  [item({ type: 'function_call', name: 'f' }), 'field input.0.call_id is required'],
  [item({ type: 'function_call_output', call_id: 'c' }), 'field input.0.output is required'],
  [{ input: 'hi', instructions: 5 }, 'field instructions is invalid: a text is expected'],
  [{ input: 'hi', top_logprobs: 3 }, 'top_logprobs is not supported by the channels of this model'],
  [
    { input: 'hi', include: ['message.output_text.logprobs'] },
    'include is not supported by the channels of this model',
  ],
];

/** Per case: the capability, the text of the refusal, the body, and the body as text for the test's name. */
export const malformedRequests: [ConversationCapability, string, JsonObject, string][] = [
  ...chat.map(([json, text]) => ['chat', `invalid_text_request: ${text}`, json, text] as const),
  ...messages.map(([json, text]) => ['messages', `invalid_claude_request: ${text}`, json, text] as const),
  ...gemini.map(([json, text]) => ['gemini', `invalid_gemini_request: ${text}`, json, text] as const),
  ...responses.map(([json, text]) => ['responses', `invalid_responses_request: ${text}`, json, text] as const),
].map(([name, text, json]) => [name, text, json, JSON.stringify(json)]);
