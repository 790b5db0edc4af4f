import { isOfConnection } from '@tollgate/contracts/channel-settings';
import type { ChannelTarget, ClientRequest, UpstreamRequest } from '../adapter.js';
import { freeBetas } from '../request/costly-fields.js';
import type { Conversation } from '../conversation/conversation.js';
import { overrideFor, overridesOf } from '../json/member-rules.js';
import { replaceMembers } from '../json/replace-members.js';
import { fittingModel } from './generation.js';
import { claudeMembers } from './settings.js';
import { continuesBareCalls, hasBudget, withFittingBudget, withoutUnsigned } from './thinking.js';
import { writeMessagesRequest } from './write-request.js';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const VERSION = '2023-06-01';

const one = (value: string | string[] | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.join(',');

export const urlOf = (target: ChannelTarget, path: string): string =>
  (target.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, '') + path;

/** Headers: the client chooses the API version and the beta features that cost nothing; headers that the operator set for the model win. */
export function headersOf(target: ChannelTarget, request?: ClientRequest): Record<string, string> {
  const beta = freeBetas(one(request?.headers['anthropic-beta']));
  const version = one(request?.headers['anthropic-version']);
  const stored = Object.entries(target.settings.claude.modelHeaders[target.requestedModel] ?? {});
  // Refused today, but an installation may have stored them before.
  const configured = stored.filter(([name]) => !isOfConnection(name));
  return {
    'content-type': 'application/json',
    accept: request?.json.stream === true ? 'text/event-stream' : 'application/json',
    'x-api-key': target.key,
    'anthropic-version': version || VERSION,
    ...(beta && { 'anthropic-beta': beta }),
    ...Object.fromEntries(configured.map(([name, value]) => [name.toLowerCase(), one(value) ?? ''])),
  };
}

/** The client's own bytes, with model, limit, thinking and thoughts of other upstreams replaced where needed. */
export function messagesToUpstream(request: ClientRequest, target: ChannelTarget): UpstreamRequest {
  const { bytes, json, outputLimit } = request;
  const edits = claudeMembers(json, target, outputLimit);
  const messages = withoutUnsigned(request);
  if (messages) {
    edits.set('messages', messages);
    if (hasBudget(json) && continuesBareCalls(messages)) edits.set('thinking', undefined);
  }
  return {
    method: 'POST',
    url: urlOf(target, '/v1/messages'),
    headers: headersOf(target, request),
    body: replaceMembers(bytes, edits),
  };
}

/** Writes a conversation in Anthropic's dialect. The channel's parameter override is applied last. */
export function conversationToUpstream(
  conversation: Conversation,
  request: ClientRequest,
  target: ChannelTarget,
): UpstreamRequest {
  const written = writeMessagesRequest(conversation);
  const { thinking: _, ...withoutThinking } = written;
  const json = hasBudget(written) && continuesBareCalls(written.messages) ? withoutThinking : written;
  const members = Object.fromEntries(claudeMembers(json, target, request.outputLimit));
  const override = Object.fromEntries(overridesOf(overrideFor(request, target)));
  if (typeof override.max_tokens === 'number' && request.outputLimit !== undefined)
    override.max_tokens = Math.min(override.max_tokens, request.outputLimit);
  const whole = { ...json, ...members };
  const body = fittingModel(request.dialect === 'gemini' ? withFittingBudget(whole) : whole, target.model);
  return {
    method: 'POST',
    url: urlOf(target, '/v1/messages'),
    headers: headersOf(target, { ...request, json }),
    body: Buffer.from(JSON.stringify({ ...body, ...override })),
  };
}
