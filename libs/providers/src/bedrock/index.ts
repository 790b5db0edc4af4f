import type { ChannelTarget, JsonObject, Provider, UpstreamRequest } from '../adapter.js';
import { anthropicUpstream } from '../anthropic/conversation.js';
import { anthropicReply } from '../anthropic/read-reply.js';
import { remoteBlocks } from '../anthropic/remote-blocks.js';
import { messagesToUpstream } from '../anthropic/request.js';
import { modelWithoutThinking } from '../anthropic/settings.js';
import { AnthropicPassThrough } from '../anthropic/stream.js';
import { everyClient } from '../clients/every-client.js';
import { unlessRewritten, type UpstreamSide } from '../conversation/converse.js';
import type { StreamFraming } from '../stream/framing.js';
import { replaceMembers } from '../json/replace-members.js';
import { invokeUrl } from './address.js';
import { readAwsError } from './errors.js';
import { AwsEventStream } from './event-stream.js';
import { signed } from './sign.js';

const VERSION = 'bedrock-2023-05-31';

const framing: StreamFraming = {
  contentType: 'application/vnd.amazon.eventstream',
  open: () => new AwsEventStream(),
};

/** Adapts a request for Anthropic to Bedrock: model and streaming go into the path, version and beta features into the body. */
function overBedrock(request: UpstreamRequest, target: ChannelTarget): UpstreamRequest {
  const { method, headers, body = Buffer.from('{}') } = request;
  const isStream = headers.accept === 'text/event-stream';
  const edits = new Map<string, JsonObject[string]>([
    ['model', undefined],
    ['stream', undefined],
    ['anthropic_version', VERSION],
    ['anthropic_beta', headers['anthropic-beta']?.split(',').map((name) => name.trim())],
  ]);
  return {
    method,
    url: invokeUrl(target, modelWithoutThinking(target), isStream),
    headers: { 'content-type': 'application/json', accept: isStream ? framing.contentType : 'application/json' },
    body: replaceMembers(body, edits),
  };
}

const upstream: UpstreamSide = {
  ...anthropicUpstream,
  writeRequest: (conversation, request, target) =>
    overBedrock(anthropicUpstream.writeRequest(conversation, request, target), target),
  framing,
};

const converted = everyClient(upstream);

/** Anthropic's models at AWS: Anthropic's bodies with AWS's addresses, signatures, errors and framing. */
export const bedrock = {
  ...converted,
  messages: unlessRewritten(
    {
      toUpstream: (request, target) => overBedrock(messagesToUpstream(request, target), target),
      fromReply: anthropicReply,
      streamType: framing.contentType,
      openStream: (context) => new AnthropicPassThrough(context, framing.open()),
    },
    converted.messages,
  ),
  remoteMedia: remoteBlocks,
  authorize: async (request, target) => ({ headers: signed(request, target) }),
  readError: readAwsError,
} satisfies Provider;
