import { Injectable } from '@nestjs/common';
import type { RoutedChannel, TaskPlatform, TaskRecord, UserRecord } from '@tollgate/contracts';
import { ChannelStatus } from '@tollgate/contracts';
import { Clock, OptionStore } from '@tollgate/chassis';
import type { JsonObject, MemberEdits } from '@tollgate/providers';
import { type Admitted, checkModelLimit, Gatekeeper } from '../access/gatekeeper.js';
import type { ByteClaim } from '../body/byte-budget.js';
import { changed, parseBody, type RequestBody } from '../body/request-body.js';
import { Refusal } from '../call/refusal.js';
import type { BilledCall } from '../call/relay-call.js';
import { Idempotency, type KeyedCall } from '../idempotency/idempotency.js';
import { Admission } from '../admission/admission.js';
import { WordChecks } from '../policy/word-checks.js';
import { RouteTable } from '../routing/route-table.js';
import {
  type DrawingOrder,
  drawingModelByPath,
  FACE_SWAP_MODEL,
  isFree,
  readDrawingOrder,
  readFaceSwap,
  withoutModes,
} from '../task/drawing-order.js';
import { readSongOrder, songModel, type SongOrder } from '../task/song-order.js';
import { readDrawingAnswer, readSongAnswer, type TaskAnswer } from '../task/task-answers.js';
import { drawingFault, DRAWING_UNKNOWN, originGone, originOff, songFault, wordsFound } from '../task/task-fault.js';
import { type Submission, Submissions } from '../task/submissions.js';
import { TasksClient } from '../task/tasks.client.js';
import { taskText } from '../usage/prompt-text.js';
import { BodyIntake } from './body-intake.js';
import { sendJson } from './dialect.js';
import { Entry } from './entry.js';
import type { HotRequest } from './hot-request.js';
import { channelIdOf } from './named-channel.js';
import { type CallbackTask, TaskAddresses } from './task-addresses.js';

const CHANNEL_TYPES: Record<TaskPlatform, readonly number[]> = { midjourney: [2, 5], suno: [36] };
const SUBMIT_MS = 60_000;
/** The bot that a proxy uses when the request names none. */
const COMMON_BOT = 'MID_JOURNEY';

/** A caller who passed every check that does not need the body. */
interface Known extends Admitted {
  group: string;
  succeeded: () => void;
}

type TaskCall = BilledCall & KeyedCall & { readonly endpoint: 'task' };

/** Handles submissions of drawings and songs. */
@Injectable()
export class TaskCalls {
  constructor(
    private readonly entry: Entry,
    private readonly gatekeeper: Gatekeeper,
    private readonly bodies: BodyIntake,
    private readonly admission: Admission,
    private readonly words: WordChecks,
    private readonly routeTable: RouteTable,
    private readonly submissions: Submissions,
    private readonly tasks: TasksClient,
    private readonly addresses: TaskAddresses,
    private readonly idempotency: Idempotency,
    private readonly options: OptionStore,
    private readonly clock: Clock,
  ) {}

  submitDrawing(request: HotRequest): Promise<void> {
    const action = request.named ?? '';
    const route: DrawingRoute = {
      path: `/mj/submit/${action}`,
      model: drawingModelByPath(action),
      read: (body, onModel) => readDrawingOrder(action, body, onModel),
    };
    return this.counted(request, (caller) => this.draw(request, caller, route));
  }

  swapFace(request: HotRequest): Promise<void> {
    const route: DrawingRoute = { path: '/mj/insight-face/swap', model: FACE_SWAP_MODEL, read: readFaceSwap };
    return this.counted(request, (caller) => this.draw(request, caller, route));
  }

  submitSong(request: HotRequest): Promise<void> {
    return this.counted(request, (caller) => this.sing(request, caller));
  }

  private async sing(request: HotRequest, caller: Known): Promise<void> {
    checkModel(request, caller, songModel(request.named ?? ''));
    const received = this.bodies.receive(request, caller, async (bytes, claim) => {
      const { json } = bodyOf(bytes, claim, (message) => songFault('invalid_request', message));
      const order = readSongOrder(request.named ?? '', json);
      return this.once(request, caller, this.callOf(request, caller, { model: order.model, bytes }), async (call) => {
        const origin = await this.originOf(caller.user, 'suno', order.originId, () =>
          songFault('task_origin_not_exist', 'task_origin_not_exist'),
        );
        const channels = await this.channelsFor(call, 'suno', origin);
        this.checkWords('suno', json);
        const submissionTo = (channel: RoutedChannel): Submission => songSubmission(call, channel, order);
        return this.submissions.submit({ call, isFree: false, channels, submissionTo });
      });
    });
    sendRefused(request, await received.catch(withoutQuota('suno')));
  }

  private async draw(request: HotRequest, caller: Known, { path, model, read }: DrawingRoute): Promise<void> {
    checkModel(request, caller, model);
    const received = this.bodies.receive(request, caller, async (bytes, claim) => {
      const body = bodyOf(bytes, claim, () => drawingFault('bind_request_body_failed'));
      const order = read(body.json, (named) => checkModel(request, caller, named));
      checkModel(request, caller, order.model);
      return this.once(request, caller, this.callOf(request, caller, { model: order.model, bytes }), async (call) => {
        const origin = await this.originOf(caller.user, 'midjourney', order.originId, () =>
          drawingFault('task_not_found'),
        );
        const mustBeFinished = order.needsFinished === true && this.options.get('MjActionCheckSuccessEnabled');
        if (origin && mustBeFinished && origin.status !== 'SUCCESS') throw drawingFault('task_status_not_success');
        const channels = await this.channelsFor(call, 'midjourney', origin);
        this.checkWords('midjourney', body.json);
        const prompt = order.prompt || (origin?.prompt ?? '');
        const submissionTo = (channel: RoutedChannel): Submission => {
          const edits = this.editsOf(body.json, { channelId: channel.id, requestId: call.requestId });
          const sent = edits.size > 0 ? changed(body, edits, claim).bytes : body.bytes;
          const choosesAccount = this.choosesAccount(body.json);
          return drawingSubmission(call, channel, { order, prompt, body: sent, path, choosesAccount });
        };
        return this.submissions.submit({ call, isFree: isFree(order.action), channels, submissionTo });
      });
    });
    sendRefused(request, await received.catch(withoutQuota('midjourney')));
  }

  /**
   * Submits once per `Idempotency-Key`. Only an accepted submission, which is charged, is kept as the answer of the
   * key. Returns the answer of an upstream that refused, which the client has not got yet.
   */
  private async once(
    request: HotRequest,
    { succeeded }: Known,
    call: TaskCall,
    submit: (call: TaskCall) => Promise<TaskAnswer>,
  ): Promise<TaskAnswer | undefined> {
    let refused: TaskAnswer | undefined;
    const isServed = await this.idempotency.run(call, async (current) => {
      const answer = await submit(current);
      if (answer.isAccepted)
        sendJson({ ...request, id: current.requestId, response: current.response }, answer.body ?? {});
      else refused = answer;
      return answer.isAccepted ? 'served' : 'free';
    });
    if (isServed) succeeded();
    return refused;
  }

  /** Runs `work` for a caller who passes the checks, as one call of the rate limit. */
  private counted(request: HotRequest, work: (caller: Known) => Promise<void>): Promise<void> {
    return this.entry.counted(request, (admitted, succeeded) => {
      const { token, user } = admitted;
      return work({ ...admitted, group: this.gatekeeper.groupOf(user, token), succeeded });
    });
  }

  private callOf(
    request: HotRequest,
    { token, user, group, channel }: Known,
    submission: { model: string; bytes: Buffer },
  ): TaskCall {
    request.caller = { tokenId: token.id, userId: user.id, model: submission.model };
    return {
      ...{
        requestId: request.id,
        endpoint: 'task',
        path: request.path,
        user,
        token,
        group,
        isStream: false,
        ...submission,
      },
      ...{ headers: request.raw.headers, response: request.response },
      ...{ startedAt: this.clock.now(), startedMono: this.clock.monotonic() },
      ...(channel !== undefined && { channelId: channelIdOf(channel) }),
    };
  }

  /** Looks in the text of the client, and in that without modes, where removing them may join the parts of a word. */
  private checkWords(platform: TaskPlatform, json: JsonObject): void {
    const textOf = () => `${taskText(platform, json)}\n${this.clearedPrompt(json) ?? ''}`;
    if (this.words.findsInPrompt(textOf)) throw wordsFound(platform);
  }

  /** The prompt without its modes, if these are to be removed. */
  private clearedPrompt({ prompt }: JsonObject): string | undefined {
    return typeof prompt === 'string' && this.options.get('MjModeClearEnabled') ? withoutModes(prompt) : undefined;
  }

  /** The task that this submission continues, if any; only the caller's own tasks can be continued. */
  private async originOf(
    { id }: UserRecord,
    platform: TaskPlatform,
    originId: string | undefined,
    missing: () => Refusal,
  ): Promise<TaskRecord | undefined> {
    if (originId === undefined) return undefined;
    const [origin] = await this.tasks.find(id, platform, [originId]);
    if (!origin) throw missing();
    return origin;
  }

  /** A follow-up goes to the channel of its original task; any other submission to the candidates of the routing. */
  private async channelsFor(
    call: TaskCall,
    platform: TaskPlatform,
    origin: TaskRecord | undefined,
  ): Promise<readonly RoutedChannel[]> {
    const own = origin && this.channelOf(origin, platform);
    const candidates = await this.admission.taskCandidates(call, CHANNEL_TYPES[platform]);
    return own ? [own] : candidates;
  }

  /** The channel of the original task; throws a refusal if it was removed or is disabled. */
  private channelOf({ channelId }: TaskRecord, platform: TaskPlatform): RoutedChannel {
    const channel = this.routeTable.channel(channelId);
    if (!channel) throw originGone(platform);
    if (channel.status !== ChannelStatus.enabled) throw originOff(platform);
    return channel;
  }

  /**
   * Whether the request selects certain accounts of the proxy: by a filter that is forwarded, or by a bot that not
   * every account has.
   */
  private choosesAccount({ accountFilter, botType = COMMON_BOT }: JsonObject): boolean {
    return (accountFilter !== undefined && this.options.get('MjAccountFilterEnabled')) || botType !== COMMON_BOT;
  }

  /** Edits of the body: removes what the upstream must not see, and adds the address for its callback. */
  private editsOf(body: JsonObject, task: CallbackTask): MemberEdits {
    const edits = new Map<string, string | undefined>();
    if (body.accountFilter !== undefined && !this.options.get('MjAccountFilterEnabled'))
      edits.set('accountFilter', undefined);
    const hasHook = typeof body.notifyHook === 'string' && body.notifyHook !== '';
    if (!this.options.get('MjNotifyEnabled')) {
      if (body.notifyHook !== undefined) edits.set('notifyHook', undefined);
    } else if (!hasHook) edits.set('notifyHook', this.addresses.callback(task));
    const prompt = this.clearedPrompt(body);
    if (prompt !== undefined && prompt !== body.prompt) edits.set('prompt', prompt);
    return edits;
  }
}

/**
 * Refuses a model that the key does not allow, as soon as it is known. A channel that the key names is checked first,
 * see `Admission.taskCandidates`.
 */
function checkModel({ caller }: HotRequest, { token, channel }: Known, model: string | undefined): void {
  if (model === undefined || channel !== undefined) return;
  if (caller) caller.model = model;
  checkModelLimit(token, model);
}

function sendRefused(request: HotRequest, answer: TaskAnswer | undefined): void {
  // The answer of a submission that was accepted, now or earlier with this `Idempotency-Key`, was already sent.
  if (!answer) return;
  if (answer.fault) throw answer.fault;
  sendJson(request, answer.body ?? {});
}

interface DrawingRoute {
  /**
   * The path at the upstream. It is made of the route and never of the client's path, which the router may have read
   * differently: that could name another action than the one that is charged.
   */
  path: string;
  /** The model, unless the body names it. */
  model: string | undefined;
  read: (body: JsonObject, onModel: (model: string) => void) => DrawingOrder;
}

interface DrawingParts {
  order: DrawingOrder;
  prompt: string;
  body: Buffer;
  path: string;
  choosesAccount: boolean;
}

function drawingSubmission(
  call: BilledCall,
  channel: RoutedChannel,
  { order, prompt, body, path, choosesAccount }: DrawingParts,
): Submission {
  return {
    ...{ call, channel, platform: 'midjourney', action: order.action, prompt, body, timeoutMs: SUBMIT_MS },
    choosesAccount,
    isFree: isFree(order.action),
    path,
    headers: { 'mj-api-secret': channel.key },
    read: (status, reply) => readDrawingAnswer(status, reply, order.action),
    accepted: (result) => ({ code: 1, description: '提交成功', result, properties: {} }),
    unanswered: () => drawingFault('do_request_failed', DRAWING_UNKNOWN),
    lost: drawingFault('insert_midjourney_task_failed', DRAWING_UNKNOWN),
  };
}

function songSubmission(call: BilledCall, channel: RoutedChannel, order: SongOrder): Submission {
  return {
    ...{ call, channel, platform: 'suno', action: order.action, prompt: order.prompt, isFree: false },
    path: `/suno/submit/${order.action}`,
    headers: { authorization: `Bearer ${channel.key}` },
    body: Buffer.from(JSON.stringify(order.body)),
    choosesAccount: false,
    timeoutMs: SUBMIT_MS,
    read: (status, reply) => readSongAnswer(status, reply, channel.statusCodeMapping),
    accepted: (data) => ({ code: 'success', message: '', data }),
    unanswered: () => songFault('fail_to_fetch_task', 'do_request_failed', 500),
    lost: songFault('insert_task_failed', 'insert_task_failed', 500),
  };
}

function bodyOf(bytes: Buffer, claim: ByteClaim, fault: (message: string) => Refusal): RequestBody {
  try {
    return parseBody(bytes, 'task', claim);
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) throw fault(error.message);
    throw error;
  }
}

/**
 * Turns a refusal for lack of quota into the error of the platform's dialect. What an upstream says of its own quota is
 * not among them, as `sendRefused` passes that on.
 */
const withoutQuota =
  (platform: TaskPlatform) =>
  (error: unknown): never => {
    if (!(error instanceof Refusal && error.isForLackOfQuota)) throw error;
    throw platform === 'suno' ? songFault('quota_not_enough', error.message, 403) : drawingFault('quota_not_enough');
  };
