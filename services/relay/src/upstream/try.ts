import type { Attempt } from '@tollgate/contracts';
import type {
  ChannelTarget,
  ImagesAdapter,
  Provider,
  ReplyContext,
  ReplyHeaders,
  SpeechAdapter,
  TextAdapter,
  UpstreamRequest,
} from '@tollgate/providers';
import type { KeyedChannel } from '../routing/key-choice.js';
import { type PromptRequest, roughPrompt } from '../usage/counted-prompt.js';
import type { Granted } from '../admission/admission.js';
import { secretsOfChannel } from './channel-target.js';
import type { Departure } from './departure.js';
import { ENDPOINTS } from '../call/endpoints.js';
import type { RouteTaken } from '../call/outcome.js';
import type { RelayCall } from '../call/relay-call.js';

/** An attempt at one channel that is in progress. */
export interface Try {
  call: RelayCall;
  granted: Granted;
  channel: KeyedChannel;
  target: ChannelTarget;
  request: UpstreamRequest;
  provider: Provider;
  adapter: Pick<ImagesAdapter, 'fromReply' | 'followUp'> &
    Partial<Pick<TextAdapter, 'openStream' | 'streamType'> & Pick<SpeechAdapter, 'openBytes'>>;
  earlier: readonly Attempt[];
  departure: Departure;
  /** Texts by which an upstream shows that our account there is unusable (option `AutomaticDisableKeywords`). */
  accountWords(): readonly string[];
  /** Milliseconds since the attempt began. */
  elapsed(): number;
}

/** The route of a request up to and including this attempt, which ended with `status`. */
export function routeOf(current: Try, attemptClass: Attempt['class'], status: number): RouteTaken {
  const { channel, target, request, earlier } = current;
  const attempt: Attempt = {
    channelId: channel.id,
    channelType: channel.type,
    keyId: channel.keyId,
    class: attemptClass,
    status,
    durationMs: Math.round(current.elapsed()),
  };
  return {
    attempts: [...earlier, attempt],
    channelId: channel.id,
    upstreamModel: target.model,
    reasoningEffort: request.reasoningEffort,
  };
}

/** The prompt as this channel was sent it. */
export const promptOf = ({ call: { json, endpoint }, request }: Try): PromptRequest => ({
  json,
  endpoint,
  convertsPictureTexts: request.pictureTexts !== undefined,
});

export const contextOf = (current: Try, nowSeconds: number, headers?: ReplyHeaders): ReplyContext => {
  const { call, target, channel } = current;
  return {
    requestId: call.requestId,
    model: call.model,
    upstreamModel: target.model,
    includeUsage: call.includeUsage,
    setting: target.setting,
    hidesSteps: target.settings.hidesSteps,
    nowSeconds,
    headers,
    request: call.json,
    secrets: secretsOfChannel(channel),
    promptTokens: ENDPOINTS[call.endpoint].beginsWithPromptTokens ? roughPrompt(promptOf(current), target.model) : 0,
  };
};
