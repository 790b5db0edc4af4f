import { Injectable } from '@nestjs/common';
import { type AppliedPrice, ChannelStatus, isRoot, type RoutedChannel } from '@tollgate/contracts';
import { OptionStore } from '@tollgate/chassis';
import { freeOf, holdFor, quotaDisplayOf } from '@tollgate/pricing';
import { requestedSearches, type JsonObject } from '@tollgate/providers';
import { Budget } from '../budget/budget.js';
import { type Hold, HoldRefused, type HoldRequest, type Shortage } from '../budget/hold.js';
import { leastAloneOf } from '../budget/hold-size.js';
import { shortageText } from '../budget/shortage-text.js';
import { checkModelLimit, tokenUsedUp } from '../access/gatekeeper.js';
import { isSimpleChat } from '../body/simple-chat.js';
import { checkRequest, errorCodeOf } from '../body/text-request.js';
import { WordChecks, WORDS_DETECTED } from '../policy/word-checks.js';
import { PriceStore } from '../read-model/price-store.js';
import {
  ableChannels,
  haveOwnContext,
  convertPictureTexts,
  heedNoLimit,
  modelNames,
  overridesIn,
  readUnchanged,
  runsGoogleTools,
  searchingChannels,
  sentNames,
} from '../routing/candidates.js';
import { RouteTable } from '../routing/route-table.js';
import { Spool } from '../spool/spool.js';
import { wholePromptText } from '../usage/prompt-text.js';
import type { RequestBound } from '../usage/bound.js';
import { type BoundedRequest, requestBound } from '../usage/request-bound.js';
import { simpleBound } from '../usage/simple-bound.js';
import { holdTerms, outputLimitFor } from './hold-terms.js';
import { type Endpoint, ENDPOINTS, isPassedOn } from '../call/endpoints.js';
import type { Terms } from '../call/outcome.js';
import { Refusal } from '../call/refusal.js';
import { type BilledCall, type RelayCall, soundOf } from '../call/relay-call.js';

export interface Granted {
  hold: Hold;
  terms: Terms;
  /** The most that the request can use. */
  bound: RequestBound;
  candidates: readonly RoutedChannel[];
  /** Tokens of one answer that the hold pays for; set where the upstream must be given a limit. */
  outputLimit?: number;
  /**
   * Tokens of all answers together that the client or the relay allowed the upstream; 0 when only the model's own
   * maximum applies.
   */
  allowedTokens: number;
}

const UNPRICED = (model: string): string =>
  `模型 ${model} 倍率或价格未配置, 请联系管理员设置；Model ${model} ratio or price not set, please contact administrator to set`;
const UNPRICED_FOR_ROOT = (model: string): string =>
  `模型 ${model} 倍率或价格未配置，请设置或开始自用模式；Model ${model} ratio or price not set, please set or start self-use mode`;

/** The error code for sensitive words in a prompt, for endpoints that do not use the usual code. */
const WORDS_DETECTED_CODES: Partial<Record<RelayCall['endpoint'], string>> = {
  responses: 'check_request_sensitive_error',
};

/**
 * Refuses a `stream` field behind the file: how to read the answer was decided when the first part of the form was
 * sent.
 */
function checkLateStream({ isStream }: RelayCall, { stream }: JsonObject): void {
  if (stream !== 'true' || isStream) return;
  const text = 'field stream is invalid: it must stand before the file';
  throw new Refusal(400, text, 'invalid_audio_request', { param: 'stream' });
}

/** Refuses an empty sound file. */
function checkSound(call: RelayCall): void {
  const sound = soundOf(call);
  if (sound?.isComplete && sound.mostBytes === 0)
    throw new Refusal(400, 'field file is empty', 'invalid_audio_request', { param: 'file' });
}

/** Keeps only channels whose upstreams run searches themselves, where the request asks for a search. */
function searchersAmong(able: readonly RoutedChannel[], call: RelayCall): readonly RoutedChannel[] {
  const { json, endpoint, model } = call;
  const { searches: dialect } = ENDPOINTS[endpoint];
  if (!dialect || !requestedSearches(json, dialect)) return able;
  const searching = searchingChannels(able, dialect, model);
  if (searching.length > 0) return searching;
  const [param, what] = dialect === 'chat' ? ['web_search_options', ''] : ['tools', ' with a search'];
  const text = `field ${param}${what} is not available here: no channel of model ${model} speaks to an upstream that searches`;
  throw new Refusal(400, text, errorCodeOf(endpoint), { param });
}

type RoutedCall = BilledCall & { channelId?: number; endpoint: Endpoint | 'realtime' };

type Readings = Pick<BoundedRequest, 'overrides' | 'readings' | 'sent' | 'convertsPictureTexts'>;

interface Priced {
  /** The id of the price version. */
  id: string;
  price: AppliedPrice;
}

function ableAmong(found: readonly RoutedChannel[], { endpoint, model }: RoutedCall): readonly RoutedChannel[] {
  const able = ableChannels(found, endpoint);
  if (able.length === 0) throw new Refusal(400, `模型 ${model} 的渠道不支持该接口`, 'invalid_api_type');
  return able;
}

/**
 * A suffix for the key under which costs are remembered: requests with searches or remote prompts cost differently from
 * others of their size.
 */
const unlikeOthers = ({ prompt, remote }: RequestBound): string =>
  `${prompt.searches ? '/searches' : ''}${remote ? '/remote' : ''}`;

/** The id of a token that has a budget; 0 when only the wallet pays. */
const budgetedToken = ({ token }: BilledCall): number => (token && !token.unlimitedQuota ? token.id : 0);

/** Runs every check that can refuse a request of an authenticated caller before it is sent to an upstream. */
@Injectable()
export class Admission {
  constructor(
    private readonly routes: RouteTable,
    private readonly prices: PriceStore,
    private readonly budget: Budget,
    private readonly spool: Spool,
    private readonly words: WordChecks,
    private readonly options: OptionStore,
  ) {}

  /**
   * Runs the checks that a call must pass before it costs anything: the model is available to the caller, and the
   * request is valid. Returns how channels read the request.
   */
  async check(call: RelayCall): Promise<Readings> {
    const candidates = await this.candidatesFor(call);
    this.checkContent(call);
    return this.readings(candidates, call);
  }

  async admit(call: RelayCall): Promise<Granted> {
    this.spool.assertRoom();
    const found = this.candidatesFor(call);
    const able = found instanceof Promise ? await found : found;
    const isSimple = isSimpleChat(call);
    this.checkContent(call, isSimple);
    checkSound(call);
    const candidates = isSimple ? able : searchersAmong(able, call);
    // Fields behind the file of a form must pass the same checks.
    call.form?.guard((json) => {
      this.checkContent({ json, endpoint: call.endpoint });
      checkLateStream(call, json);
    });
    const priced = this.priceOf(call);
    const { id, price } = priced instanceof Promise ? await priced : priced;
    const { user, model, group } = call;
    const bound = this.boundOf(call, candidates, isSimple);
    const terms = holdTerms(bound, price, this.options.get('PreConsumedQuota'));
    const { textTokens, imageTokens, audioTokens } = bound.prompt;
    const shape = {
      userId: user.id,
      model,
      promptBytes: textTokens + imageTokens + audioTokens,
      maxTokens: bound.limit * bound.choices,
      price: `${id}/${group}/${price.groupRatio}${unlikeOthers(bound)}`,
    };
    const wanted = { ...terms, shape, userId: user.id, tokenId: budgetedToken(call) };
    const held = this.held(call, wanted);
    const hold = held instanceof Promise ? await held : held;
    const outputLimit = outputLimitFor(bound, price, { hold, most: terms.most });
    if (outputLimit !== undefined && outputLimit < bound.minimum) {
      hold.settle(0);
      throw this.quotaRefusal(call, new HoldRefused('wallet', hold.amount, hold.amount), leastAloneOf(wanted));
    }
    return {
      hold,
      bound,
      candidates,
      terms: { priceVersion: id, price, replicaEpoch: hold.epoch },
      allowedTokens: (outputLimit ?? bound.limit) * bound.choices,
      outputLimit,
    };
  }

  private boundOf(call: RelayCall, candidates: readonly RoutedChannel[], isSimple: boolean): RequestBound {
    const { model, json, bytes, endpoint, form } = call;
    const request: BoundedRequest = {
      json,
      size: form ? Buffer.byteLength(JSON.stringify(json)) : bytes.length,
      endpoint,
      models: modelNames(candidates, model),
      ...this.readings(candidates, call),
      unaskedAreFree: !this.options.get('ChargeUnaskedSearchEnabled'),
      runsGoogleTools: runsGoogleTools(candidates, endpoint, model),
      hasOwnContext: haveOwnContext(candidates, model),
      heedsNoLimit: heedNoLimit(candidates),
      sound: soundOf(call),
      sources: form?.files?.length ?? 0,
    };
    return (isSimple ? simpleBound(request) : undefined) ?? requestBound(request);
  }

  /**
   * Admits a session of many answers: the hold begins with the highest cost of `PreConsumedQuota` tokens, and grows.
   */
  async admitSession(call: BilledCall): Promise<Pick<Granted, 'hold' | 'terms'>> {
    this.spool.assertRoom();
    const { id, price } = await this.priceOf(call);
    const costOf = (outputTokens: number): number =>
      holdFor({ textTokens: 0, imageTokens: 0, audioTokens: 0, outputTokens }, price);
    const least = costOf(this.options.get('PreConsumedQuota'));
    const { user, model, group } = call;
    const shape = { userId: user.id, model, promptBytes: 0, maxTokens: 0, price: `${id}/${group}/session` };
    const account = { userId: user.id, tokenId: budgetedToken(call) };
    const request = { least, most: least, costOf, fewestTokens: 0, isEndless: true, shape, ...account };
    const hold = await this.held(call, request);
    return { hold, terms: { priceVersion: id, price, replicaEpoch: hold.epoch } };
  }

  /** Admits a task at a fixed price; a free task holds nothing. */
  async admitTask(call: BilledCall, isFree: boolean): Promise<Pick<Granted, 'hold' | 'terms'>> {
    this.spool.assertRoom();
    const { id, price } = await this.priceOf(call);
    const cost = isFree ? 0 : holdFor({ textTokens: 1, imageTokens: 0, audioTokens: 0, outputTokens: 0 }, price);
    const { model, group, user } = call;
    const shape = { userId: user.id, model, promptBytes: 0, maxTokens: 0, price: `${id}/${group}/task` };
    const account = { userId: user.id, tokenId: budgetedToken(call) };
    const request = { least: cost, most: cost, costOf: () => cost, fewestTokens: 0, shape, ...account };
    const hold = await this.hold(call, request);
    return { hold, terms: { priceVersion: id, price, replicaEpoch: hold.epoch } };
  }

  /**
   * How channels may read the request. A body that is forwarded byte for byte keeps the model name and the members that
   * the client wrote.
   */
  private readings(candidates: readonly RoutedChannel[], call: RelayCall): Readings {
    const overrides = overridesIn(candidates);
    const { endpoint, model } = call;
    if (!this.options.get('global.pass_through_request_enabled')) {
      const convertsPictureTexts = convertPictureTexts(candidates, endpoint, model);
      return { overrides, sent: sentNames(candidates, model), convertsPictureTexts };
    }
    return isPassedOn(endpoint) ? readUnchanged(candidates, call) : { overrides };
  }

  private priceOf(call: BilledCall): Promise<Priced> | Priced {
    const { group, user, endpoint } = call;
    const groups = { group, userGroup: user.group };
    const wanted = { ...groups, isRealtime: endpoint === 'realtime', acceptUnset: this.acceptsUnset(call) };
    const found = this.prices.find(call.model, wanted);
    return found instanceof Promise ? found.then((late) => this.required(call, late)) : this.required(call, found);
  }

  private required(call: BilledCall, { id, price }: { id: string; price: AppliedPrice | undefined }): Priced {
    if (price) return { id, price: call.repeats === undefined ? price : freeOf(price) };
    const text = isRoot(call.user.role) ? UNPRICED_FOR_ROOT(call.model) : UNPRICED(call.model);
    throw new Refusal(400, text, 'model_price_error');
  }

  /** The channels that can serve the call, in no particular order. */
  candidatesFor(call: RoutedCall): Promise<readonly RoutedChannel[]> | readonly RoutedChannel[] {
    if (call.channelId !== undefined) return this.namedFor(call, call.channelId);
    if (call.token) checkModelLimit(call.token, call.model);
    const found = this.routes.candidates(call.group, call.model);
    return found.length > 0 ? ableAmong(found, call) : this.servedLate(call).then((late) => ableAmong(late, call));
  }

  private async namedFor(call: RoutedCall, id: number): Promise<readonly RoutedChannel[]> {
    const named = await this.named(id);
    if (call.token) checkModelLimit(call.token, call.model);
    return ableAmong([named], call);
  }

  /** The channels of the given types that can serve a task. */
  async taskCandidates(
    call: BilledCall & { channelId?: number },
    types: readonly number[],
  ): Promise<readonly RoutedChannel[]> {
    const named = call.channelId === undefined ? undefined : await this.named(call.channelId);
    if (call.token) checkModelLimit(call.token, call.model);
    const found = (named ? [named] : await this.served(call)).filter(({ type }) => types.includes(type));
    if (found.length === 0) throw new Refusal(400, `模型 ${call.model} 的渠道不支持该接口`, 'invalid_api_type');
    return found;
  }

  private async served(call: BilledCall): Promise<readonly RoutedChannel[]> {
    const found = this.routes.candidates(call.group, call.model);
    return found.length > 0 ? found : this.servedLate(call);
  }

  /** Polls the routes once more, so that a channel that was created a moment ago counts. */
  private async servedLate(call: BilledCall): Promise<readonly RoutedChannel[]> {
    await this.routes.poll();
    const found = this.routes.candidates(call.group, call.model);
    if (found.length > 0) return found;
    const text = `当前分组 ${call.group} 下对于模型 ${call.model} 无可用渠道`;
    // The playground documents a code and a status of its own for this.
    throw call.token
      ? new Refusal(503, text, 'no_available_channel')
      : new Refusal(500, text, 'get_playground_channel_failed');
  }

  private async named(id: number): Promise<RoutedChannel> {
    if (!this.routes.channel(id)) await this.routes.poll();
    const channel = this.routes.channel(id);
    if (!channel) throw new Refusal(400, '无效的渠道 Id', 'invalid_channel_id');
    if (channel.status !== ChannelStatus.enabled) throw new Refusal(403, '该渠道已被禁用', 'channel_disabled');
    return channel;
  }

  private acceptsUnset(call: BilledCall): boolean {
    return this.options.get('SelfUseModeEnabled') || call.user.acceptUnsetModelRatio;
  }

  /** `isSimple`: the request needs no check of its members. */
  private checkContent(call: Pick<RelayCall, 'json' | 'endpoint'>, isSimple = false): void {
    if (!isSimple) checkRequest(call);
    this.checkWords(call);
  }

  private checkWords(call: Pick<RelayCall, 'json' | 'endpoint'>): void {
    if (this.words.findsInPrompt(() => wholePromptText(call.json)))
      throw new Refusal(400, WORDS_DETECTED.message, WORDS_DETECTED_CODES[call.endpoint] ?? WORDS_DETECTED.code);
  }

  /** Needs no call to billing where the local block has enough. */
  private held(call: BilledCall, request: HoldRequest): Promise<Hold> | Hold {
    if (request.most === 0 && call.repeats === undefined) return this.hold(call, request, true);
    return this.budget.holdAtOnce(request) ?? this.hold(call, request);
  }

  /** `needsFunds`: the account must not be empty, although the request may hold nothing of it. */
  private async hold(call: BilledCall, request: HoldRequest, needsFunds = false): Promise<Hold> {
    try {
      if (needsFunds) await this.budget.requireFunds(request);
      return await this.budget.hold(request);
    } catch (error) {
      if (error instanceof HoldRefused) throw this.quotaRefusal(call, error, this.budget.leastOf(request));
      throw error;
    }
  }

  private quotaRefusal(
    { token, endpoint }: BilledCall,
    { reason, walletQuota, tokenQuota, left }: HoldRefused,
    amount: number,
  ): Refusal {
    const textOf = (refusal: string, account: Shortage['account']): string =>
      shortageText(refusal, { account, left: left[account], need: amount }, quotaDisplayOf(this.options));
    if (reason === 'token' && token) {
      if (tokenQuota <= 0) return tokenUsedUp(token, tokenQuota);
      return new Refusal(403, textOf('token quota is not enough', 'token'), 'pre_consume_token_quota_failed');
    }
    if (walletQuota <= 0) return new Refusal(403, 'user quota is not enough', 'insufficient_user_quota');
    const what = endpoint === 'images' || endpoint === 'imageEdits' ? 'image' : 'chat';
    return new Refusal(403, textOf(`${what} pre-consumed quota failed`, 'wallet'), 'insufficient_user_quota');
  }
}
