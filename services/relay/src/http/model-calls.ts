import { Injectable } from '@nestjs/common';
import type { UserRecord } from '@tollgate/contracts';
import { CALLER_HEADER, Clock, ReadModels, SecretBox, verifiedCaller } from '@tollgate/chassis';
import { errorFrame, type JsonObject, type MemberEdits, typedErrorFrame } from '@tollgate/providers';
import { Gatekeeper } from '../access/gatekeeper.js';
import { endPieces } from '../call/pieces.js';
import { Refusal } from '../call/refusal.js';
import { type Endpoint, ENDPOINTS, type FormEndpoint, type SoundEndpoint } from '../call/endpoints.js';
import type { PassingForm, RelayCall } from '../call/relay-call.js';
import { type Ending, Idempotency } from '../idempotency/idempotency.js';
import { RelayService } from '../pipeline/relay.service.js';
import { type CountedEndpoint, PromptCounts } from './prompt-counts.js';
import { ModelRateLimit } from '../policy/model-rate-limit.js';
import { RefusedCalls } from '../refused/refused-calls.js';
import { UserDirectory } from '../read-model/user-directory.js';
import { RouteTable } from '../routing/route-table.js';
import { BodyIntake, type Sender } from './body-intake.js';
import type { ByteClaim } from '../body/byte-budget.js';
import { dialectOf, refuse, sendJson, sendRefusal } from './dialect.js';
import { Entry } from './entry.js';
import { type GeminiCall, geminiCallOf, queryOf } from './gemini-call.js';
import { type HotRequest, pathOf, queryParameter } from './hot-request.js';
import { callableModels, modelBody, modelListBody } from './model-list.js';
import { CollectedForm } from '../body/collected-form.js';
import { channelIdOf } from './named-channel.js';
import { changed, parseBody, type RequestBody } from '../body/request-body.js';
import { noForm } from '../body/form-parts.js';
import { errorCodeOf, modelOf } from '../body/text-request.js';

/** How long a call waits for read models to catch up with a recent change, in milliseconds. */
const NEWS_MS = 2000;
const NO_BYTES = Buffer.alloc(0);

/** What the path of a call states in addition to its body. */
type PathParts = Partial<Omit<GeminiCall, 'method'>>;

/** Handles calls of models, and the lists of models. */
@Injectable()
export class ModelCalls {
  constructor(
    private readonly entry: Entry,
    private readonly gatekeeper: Gatekeeper,
    private readonly bodies: BodyIntake,
    private readonly relay: RelayService,
    private readonly promptCounts: PromptCounts,
    private readonly idempotency: Idempotency,
    private readonly rateLimit: ModelRateLimit,
    private readonly routeTable: RouteTable,
    private readonly users: UserDirectory,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    private readonly refused: RefusedCalls,
    private readonly readModels: ReadModels,
  ) {}

  /** Never rejects: an error of `handler` is sent as a refusal in the caller's dialect. */
  async answer(request: HotRequest, handler: (request: HotRequest) => Promise<void>): Promise<void> {
    try {
      if (this.readModels.areBehind) await this.readModels.catchUpWithin(NEWS_MS);
      await handler(request);
    } catch (error) {
      const refusal = this.relay.unexpected(error, { requestId: request.id });
      this.note(request, refusal);
      if (request.response.headersSent) request.response.destroy();
      else refuse(request, refusal);
    }
  }

  /** Records the trace of a refused call, unless a row of the usage log already reports it. */
  private note({ id: requestId, caller }: HotRequest, refusal: Refusal): void {
    if (refusal.isLogged) return;
    const { reason, status, message, whose = caller ?? { tokenId: 0, userId: 0 } } = refusal;
    this.refused.note({ requestId, reason, status, message, ...whose, model: caller?.model ?? '' });
  }

  /** A call in Gemini's own dialect; the path names the model and says whether to stream. */
  async gemini(request: HotRequest): Promise<void> {
    const { method, ...byPath } = geminiCallOf(request.named ?? '', queryOf(request.raw.url));
    if (method === 'countTokens') return this.countTokens('gemini', request, byPath);
    const embeds = method === 'embedContent' || method === 'batchEmbedContents';
    await this.text(embeds ? 'embedContents' : 'gemini', request, byPath);
  }

  /**
   * Counts the tokens of a prompt with our own tokenizer. The request passes the same checks as a model call, and costs
   * nothing.
   */
  countTokens(endpoint: CountedEndpoint, request: HotRequest, byPath: PathParts = {}): Promise<void> {
    return this.text(endpoint, request, byPath, async (call) => {
      sendJson(request, await this.promptCounts.answer(call, endpoint));
      return true;
    });
  }

  /**
   * Handles a call with a JSON body. `answer` serves the call once it is parsed, and returns whether the client got an
   * answer.
   */
  async text(
    endpoint: Endpoint,
    request: HotRequest,
    byPath: PathParts = {},
    answer = (call: RelayCall): Promise<boolean> => this.run(call),
  ): Promise<void> {
    await this.entry.counted(request, async ({ token, user, channel }, succeeded) => {
      const isServed = await this.bodies.receive(request, { user, token }, (bytes, claim) => {
        const parsed = parseBody(bytes, endpoint, claim);
        const body = byPath.model === undefined ? namedByPath(parsed, request, claim) : parsed;
        const model = byPath.model ?? modelOf(body.json, endpoint);
        const group = this.gatekeeper.groupOf(user, token);
        const channelId = channel === undefined ? undefined : channelIdOf(channel);
        const { bytes: sent, json } = body;
        const { isStream, isJsonArray } = byPath;
        const parts = { endpoint, json, bytes: sent, isStream, isJsonArray, model, group, user, token, channelId };
        return answer(this.callOf(request, parts));
      });
      if (isServed) succeeded();
    });
  }

  /** Transcribes or translates sound; the file is forwarded while it is received. */
  async sound(endpoint: SoundEndpoint, request: HotRequest): Promise<void> {
    if (isJson(request)) return this.text(endpoint, request, {}, (call) => this.refusedFileless(call, noForm()));
    await this.form(endpoint, request, (sender, work) =>
      this.bodies.receiveForm(request, sender, 'model', (form) => work(form, form.fields)),
    );
  }

  /** Refuses a call that has no file: for want of its model's channels, else for want of the file. */
  private async refusedFileless(call: RelayCall, refusal: Refusal): Promise<never> {
    await this.relay.requireChannel(call);
    throw refusal;
  }

  /** Edits pictures; they are kept in memory until a channel has answered. */
  async pictures(request: HotRequest): Promise<void> {
    const contentType = request.raw.headers['content-type'] ?? '';
    await this.form('imageEdits', request, (sender, work) =>
      this.bodies.receive(request, sender, async (bytes, claim) => {
        const form = await CollectedForm.read(bytes, contentType, claim);
        return work(form, form.fields);
      }),
    );
  }

  private async form(
    endpoint: FormEndpoint,
    request: HotRequest,
    receive: (sender: Sender, work: (form: PassingForm, fields: JsonObject) => Promise<boolean>) => Promise<boolean>,
  ): Promise<void> {
    await this.entry.counted(request, async ({ token, user, channel }, succeeded) => {
      const isServed = await receive({ user, token }, async (form, fields) => {
        const model = modelOf(fields, endpoint);
        const json: JsonObject = { ...fields, model };
        const group = this.gatekeeper.groupOf(user, token);
        const named = channel === undefined ? {} : { channelId: channelIdOf(channel) };
        const body = { json, bytes: NO_BYTES, form, isStream: fields.stream === 'true' };
        return this.runForm(this.callOf(request, { endpoint, ...body, model, group, user, token, ...named }));
      });
      if (isServed) succeeded();
    });
  }

  private runForm(call: RelayCall): Promise<boolean> {
    const failure = call.form?.failure;
    return failure ? this.refusedFileless(call, failure) : this.run(call);
  }

  private async signedIn(request: HotRequest): Promise<UserRecord> {
    const caller = verifiedCaller(this.secrets, request.raw.headers[CALLER_HEADER]);
    const user = caller && (await this.users.find(caller.userId));
    if (!user) throw new Refusal(401, '无权进行此操作，未登录且未提供 access token', 'not_signed_in');
    request.caller = { tokenId: 0, userId: user.id, model: '' };
    return user;
  }

  /**
   * Transcribes sound for the playground. The group is a query parameter, so that it is known before the form's file
   * was read.
   */
  async playgroundSound(request: HotRequest): Promise<void> {
    const user = await this.signedIn(request);
    const group = this.gatekeeper.playgroundGroupOf(user, queryParameter(request.raw, 'group') ?? '');
    await this.rateLimit.counted(user.id, group, async (succeeded) => {
      const isServed = await this.bodies.receiveForm(request, { user, token: undefined }, 'model', (form) => {
        const model = modelOf(form.fields, 'playground');
        const body = { json: { ...form.fields, model }, bytes: NO_BYTES, form, isStream: false };
        const parts = { endpoint: 'transcriptions', ...body, model, group, user, token: undefined } as const;
        return this.runForm(this.callOf(request, parts));
      });
      if (isServed) succeeded();
    });
  }

  async playground(request: HotRequest, endpoint: 'chat' | 'images' | 'speech' = 'chat'): Promise<void> {
    const user = await this.signedIn(request);
    await this.bodies.receive(request, { user, token: undefined }, async (bytes, claim) => {
      const parsed = parseBody(bytes, 'playground', claim);
      const model = modelOf(parsed.json, 'playground');
      const group = this.gatekeeper.playgroundGroupOf(user, namedGroup(parsed.json, endpoint));
      await this.rateLimit.counted(user.id, group, async (succeeded) => {
        const body = changed(parsed, playgroundEdits(parsed.json), claim);
        if (await this.run(this.callOf(request, { endpoint, ...body, model, group, user, token: undefined })))
          succeeded();
      });
    });
  }

  /**
   * Ends a response whose head was already sent: streams of events get an error event in the client's dialect, anything
   * else is cut off.
   */
  private endStream(call: RelayCall, refusal: Refusal): void {
    const error = { ...refusal.error, status: refusal.status };
    const { response, dialect, requestId, isStream, isJsonArray, endpoint } = call;
    if (!isStream || isJsonArray || response.writableEnded) return void response.destroy();
    const isTyped = ENDPOINTS[endpoint].isTyped === true;
    endPieces(response, isTyped ? typedErrorFrame(error, requestId) : errorFrame(dialect, error, requestId));
  }

  /** Returns whether the client got an answer; a head that was only sent for keep-alive comments does not count. */
  private async run(call: RelayCall): Promise<boolean> {
    const { response } = call;
    let { requestId } = call;
    try {
      if (!this.idempotency.isKeyed(call)) return (await this.answered(call)) === 'served';
      return await this.idempotency.run(call, (current) => {
        requestId = current.requestId;
        return this.answered(current);
      });
    } catch (error) {
      if (!response.headersSent) throw error;
      // A failure must not be kept as the answer of the `Idempotency-Key`, so it is written to the client's own
      // response.
      this.endStream({ ...call, requestId }, this.relay.unexpected(error, { requestId }));
      return false;
    }
  }

  private async answered(call: RelayCall): Promise<Ending> {
    const { response, requestId } = call;
    try {
      await this.relay.run(call);
      return response.headersSent && response.statusCode < 400 ? 'served' : 'free';
    } catch (error) {
      if (!(error instanceof Refusal && error.isCharged)) throw error;
      if (response.headersSent) this.endStream(call, error);
      else
        sendRefusal(
          { id: requestId, raw: response.req, response },
          error,
          dialectOf(pathOf(response.req.url), response.req),
        );
      return 'unserved';
    }
  }

  private callOf(
    request: HotRequest,
    parts: Pick<
      RelayCall,
      'endpoint' | 'json' | 'bytes' | 'form' | 'model' | 'group' | 'user' | 'token' | 'channelId'
    > &
      PathParts,
  ): RelayCall {
    const { json } = parts;
    if (request.caller) request.caller.model = parts.model;
    const options = json.stream_options;
    const includeUsage =
      typeof options === 'object' && options !== null && !Array.isArray(options) && options.include_usage === true;
    const apiVersion = queryParameter(request.raw, 'api-version');
    return {
      ...parts,
      requestId: request.id,
      dialect: ENDPOINTS[parts.endpoint].dialect,
      headers: request.raw.headers,
      apiVersion,
      pathAndQuery: request.raw.url,
      isStream: parts.isStream ?? wantsStream(parts.endpoint, json),
      includeUsage,
      startedAt: this.clock.now(),
      startedMono: this.clock.monotonic(),
      response: request.response,
    };
  }

  async listModels(request: HotRequest): Promise<void> {
    const models = await this.modelsFor(request);
    const { path, raw } = request;
    sendJson(request, modelListBody(models, dialectOf(path, raw), queryOf(raw.url)));
  }

  async getModel(request: HotRequest): Promise<void> {
    const { named: id = '' } = request;
    const models = await this.modelsFor(request);
    const extra = { type: 'invalid_request_error', param: 'model', isPlain: true };
    if (!models.includes(id)) throw new Refusal(404, `The model '${id}' does not exist`, 'model_not_found', extra);
    sendJson(request, modelBody(id, dialectOf(request.path, request.raw)));
  }

  async unimplemented(request: HotRequest): Promise<void> {
    await this.entry.counted(request, () => Promise.resolve());
    throw new Refusal(501, 'API not implemented', 'api_not_implemented', { isPlain: true });
  }

  unknown({ raw, path }: HotRequest): Promise<void> {
    return Promise.reject(
      new Refusal(404, `Invalid URL (${raw.method} ${path})`, '', { type: 'invalid_request_error', isPlain: true }),
    );
  }

  private async modelsFor(request: HotRequest): Promise<string[]> {
    const { token, group } = await this.entry.listing(request);
    return group === undefined ? [] : callableModels(token, this.routeTable.modelsOf(group));
  }
}

const isJson = ({ raw }: HotRequest): boolean => /^application\/json\b/i.test(raw.headers['content-type'] ?? '');

/** Speech is sent as plain bytes unless `stream_format` asks for events. */
const wantsStream = (endpoint: Endpoint, { stream, stream_format: format }: JsonObject): boolean =>
  endpoint === 'speech' ? format === 'sse' : stream === true;

/** Where only the path names the model, adds it to the body, since upstreams read it from there. */
function namedByPath(body: RequestBody, { named: model }: HotRequest, claim: ByteClaim): RequestBody {
  const { model: stated } = body.json;
  if (model === undefined || (stated !== undefined && stated !== null && stated !== '')) return body;
  return changed(body, new Map([['model', model]]), claim);
}

/** The group that a playground call names; empty where it names none. */
function namedGroup({ group }: JsonObject, endpoint: Endpoint): string {
  if (group === undefined || group === null) return '';
  if (typeof group === 'string') return group;
  throw new Refusal(400, 'group is invalid', errorCodeOf(endpoint), { param: 'group' });
}

/**
 * Removes the group, which upstreams do not know, and a `max_tokens` of 0, by which the playground's form means "no
 * limit".
 */
const playgroundEdits = ({ max_tokens }: JsonObject): MemberEdits =>
  new Map([['group', undefined], ...(max_tokens === 0 ? ([['max_tokens', undefined]] as const) : [])]);
