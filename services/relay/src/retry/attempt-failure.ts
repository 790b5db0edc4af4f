import type { OutgoingHttpHeaders } from 'node:http';
import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import type { QuotaDisplay } from '@tollgate/pricing';
import {
  blamesAccount,
  type ChannelUnusable,
  maskSecrets,
  type RequestRejected,
  type UpstreamFault,
} from '@tollgate/providers';
import type { Hold } from '../budget/hold.js';
import { shortageText } from '../budget/shortage-text.js';
import type { Endpoint } from '../call/endpoints.js';
import type { KeyedChannel } from '../routing/key-choice.js';
import { secretsOfChannel } from '../upstream/channel-target.js';
import { keptHeaders, retryAfterOf, type UpstreamHeaders } from '../upstream/kept-headers.js';
import { wordsFault } from '../policy/checked-stream.js';
import { isMadeElsewhere } from './retry-policy.js';
import type { Try } from '../upstream/try.js';
import type { UpstreamFailure } from '../upstream/upstream-response.js';

/** A failed attempt at one channel, of which the client got nothing. */
export interface AttemptFailure {
  attempt: Attempt;
  fault: UpstreamFault;
  /** The client has left, so no reply is sent. */
  aborted: boolean;
  /**
   * The client's status when the relay itself refuses, before or after the upstream answered. No other channel is tried
   * unless `isUnsupported` is set too.
   */
  localStatus?: number;
  /** The channel's dialect cannot express the request; nothing was sent, and another channel may be able to. */
  isUnsupported?: boolean;
  /** The upstream does not know the answer that the request continues; another account may have made it. */
  isMadeElsewhere?: boolean;
  retryAfter?: number;
  /** The upstream's headers that the client may see. */
  headers?: OutgoingHttpHeaders;
  /** The upstream answered, so the call is charged. */
  isCharged?: boolean;
}

export const cutFault = {
  class: 'upstream',
  message: '上游连接中断，回复不完整',
  type: 'upstream_error',
  code: 'upstream_cut',
} as const satisfies UpstreamFault;

/** The fault of a stream whose upstream took too long: it fell silent, or the channel's time for an answer was over. */
export const lateFault = {
  class: 'timeout',
  message: '请求上游超时',
  type: 'upstream_error',
  code: 'upstream_timeout',
} as const satisfies UpstreamFault;

/** The fault of a reply of which a part, or the whole, is larger than the relay reads. */
export const tooLargeFault = {
  class: 'upstream',
  message: '上游回复过大',
  type: 'new_api_error',
  code: 'read_response_body_failed',
} as const satisfies UpstreamFault;

/** The fault of a stream that was ended because its quota was used up. */
const exhaustedFault = {
  class: 'ok',
  message: 'user quota is not enough',
  type: 'new_api_error',
  code: 'insufficient_user_quota',
} as const satisfies UpstreamFault;

/** The same for a token with a budget of its own. */
const tokenExhaustedFault = {
  ...exhaustedFault,
  message: 'token quota is not enough',
  code: 'pre_consume_token_quota_failed',
} as const satisfies UpstreamFault;

/** Says what was left and what was needed, unless billing could not be asked. */
export function exhaustedFaultOf({ shortage }: Pick<Hold, 'shortage'>, display: QuotaDisplay): UpstreamFault {
  const fault = shortage?.account === 'token' ? tokenExhaustedFault : exhaustedFault;
  return shortage ? { ...fault, message: shortageText(fault.message, shortage, display) } : fault;
}

/** A client that left is not held against the channel. */
const departure = { class: 'ok', message: '客户端已断开', type: 'client_error', code: 'client_closed' } as const;

const networkFaults: Readonly<Record<UpstreamFailure['reason'], Pick<UpstreamFault, 'class' | 'message' | 'code'>>> = {
  timeout: { class: 'timeout', message: lateFault.message, code: 'do_request_failed' },
  network: { class: 'network', message: '请求上游地址失败', code: 'do_request_failed' },
  refused: { class: 'network', message: '请求上游地址失败', code: 'do_request_failed' },
  'too-large': tooLargeFault,
  aborted: departure,
};

/** The parts of an attempt that its failure reports. */
type Tried = Pick<Try, 'channel' | 'elapsed'>;

/** The failure of an upstream that did not answer, or not completely. */
export function networkFailureOf(current: Tried, { reason }: UpstreamFailure): AttemptFailure {
  if (reason === 'aborted') return { ...failureOf(current, 0, departure), aborted: true };
  return failureOf(current, reason === 'timeout' ? 504 : 0, { ...networkFaults[reason], type: 'new_api_error' });
}

/**
 * A failure stated by the upstream, whose text may show that the account is no longer usable. An error under status 200
 * counts as the refusal that it states.
 */
export function statedFailureOf(
  current: Tried & Pick<Try, 'accountWords'> & { call: Pick<Try['call'], 'json'> },
  status: number,
  fault: UpstreamFault,
  headers: UpstreamHeaders = {},
): AttemptFailure {
  const isAccount = blamesAccount(fault.message, current.accountWords(), () => JSON.stringify(current.call.json));
  const finalFault: UpstreamFault = isAccount ? { ...fault, class: 'credential' } : fault;
  const retryAfter = retryAfterOf(headers);
  const failure = failureOf(current, fault.status ?? status, finalFault);
  return {
    ...failure,
    ...(isMadeElsewhere(current.call.json, failure.attempt) && { isMadeElsewhere: true }),
    ...(retryAfter !== undefined && { retryAfter }),
    headers: keptHeaders(headers),
  };
}

/**
 * The failure of a reply with sensitive words of which nothing was delivered: the client is refused as for a prompt,
 * and no other channel is tried.
 */
export const wordsFailureOf = (current: Try): AttemptFailure => ({
  ...failureOf(current, 200, wordsFault),
  localStatus: 400,
  isCharged: true,
});

function failureOf(current: Tried, status: number, fault: UpstreamFault): AttemptFailure {
  const { channel } = current;
  const attempt: Attempt = {
    channelId: channel.id,
    channelType: channel.type,
    ...(channel.keyId !== undefined && { keyId: channel.keyId }),
    class: fault.class,
    status,
    ...(fault.code && { errorCode: fault.code }),
    ...(fault.type && { errorType: fault.type }),
    message: fault.message.slice(0, 1000),
    durationMs: Math.round(current.elapsed()),
  };
  return { attempt, fault, aborted: false };
}

/** The client's status for a circular model mapping. */
const mappingStatusOf = (endpoint: Endpoint | 'realtime'): number => (endpoint === 'responses' ? 400 : 500);

/** A circular model mapping is the operator's fault; any other rejection is caused by the client's request. */
export function rejectionOf(
  { id, type }: RoutedChannel,
  { code, message, param }: RequestRejected,
  endpoint: Endpoint | 'realtime',
): AttemptFailure {
  const isMapping = code === 'model_mapping_contains_cycle';
  const fault: UpstreamFault = {
    class: 'invalid',
    message,
    type: 'new_api_error',
    code: isMapping ? 'model_mapped_error' : code,
    ...(param && { param }),
  };
  const attempt: Attempt = {
    channelId: id,
    channelType: type,
    class: 'invalid',
    status: 0,
    errorCode: fault.code,
    message,
    durationMs: 0,
  };
  const failure = { attempt, fault, aborted: false };
  return isMapping
    ? { ...failure, localStatus: mappingStatusOf(endpoint) }
    : { ...failure, localStatus: 400, isUnsupported: true };
}

/**
 * The failure of a channel to which nothing was sent: its key does not have the form of its type, or no access token
 * was issued for it. Another channel may do.
 */
export function unusableFailureOf(channel: KeyedChannel, unusable: ChannelUnusable): AttemptFailure {
  const { id, type, keyId } = channel;
  const { code, faultClass } = unusable;
  const message = maskSecrets(unusable.message, secretsOfChannel(channel));
  const fault: UpstreamFault = { class: faultClass, message, type: 'new_api_error', code };
  const reported = { errorCode: code, errorType: fault.type, message };
  return {
    attempt: {
      ...{ channelId: id, channelType: type, class: fault.class, status: 0, ...reported, durationMs: 0 },
      ...(keyId !== undefined && { keyId }),
    },
    fault,
    aborted: false,
  };
}
