import type { Attributes } from '@opentelemetry/api';
import { channelTypes } from '@tollgate/contracts';
import type { RelayCall } from '../call/relay-call.js';
import type { Try } from './try.js';

/** `gen_ai.operation.name` of OpenTelemetry's conventions; endpoints unknown to them keep our name. */
const OPERATIONS: Partial<Record<RelayCall['endpoint'], string>> = {
  messages: 'chat',
  responses: 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
  embedContents: 'embeddings',
  gemini: 'generate_content',
};

/** `gen_ai.provider.name` where the conventions define a name for a channel type; the others keep our slug. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  aws: 'aws.bedrock',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

const slugOf = (type: number): string =>
  (channelTypes as Record<number, { slug: string } | undefined>)[type]?.slug ?? '';

/** Name and attributes of the span of one attempt, by OpenTelemetry's conventions for generative AI. */
export function spanOfTry({ call, channel, target, request }: Try): { name: string; attributes: Attributes } {
  const operation = OPERATIONS[call.endpoint] ?? call.endpoint;
  const slug = slugOf(channel.type);
  const { hostname, port, protocol } = URL.parse(request.url) ?? { hostname: '', port: '', protocol: '' };
  return {
    name: `${operation} ${target.model}`,
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': PROVIDERS[slug] ?? slug,
      'gen_ai.request.model': target.model,
      'server.address': hostname,
      'server.port': Number(port) || (/^(http|ws):/.test(protocol) ? 80 : 443),
      'tollgate.channel_id': channel.id,
      'tollgate.user_id': call.user.id,
    },
  };
}
