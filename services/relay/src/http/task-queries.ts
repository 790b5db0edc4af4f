import { Injectable } from '@nestjs/common';
import { ChannelStatus, type RoutedChannel, type TaskRecord } from '@tollgate/contracts';
import { Logger, OutboundClient } from '@tollgate/chassis';
import { type JsonObject, maskedItem, readDrawing, shownProperties, taskAddress } from '@tollgate/providers';
import type { Admitted } from '../access/gatekeeper.js';
import { parseBody } from '../body/request-body.js';
import { Refusal } from '../call/refusal.js';
import { ModelRateLimit } from '../policy/model-rate-limit.js';
import { RouteTable } from '../routing/route-table.js';
import { parseReply } from '../task/task-answers.js';
import { drawingFault, DRAWING_UNKNOWN, originGone, originOff, songFault } from '../task/task-fault.js';
import { TasksClient } from '../task/tasks.client.js';
import { withoutSecrets } from '../task/without-secrets.js';
import { BodyIntake } from './body-intake.js';
import { sendJson } from './dialect.js';
import { Entry } from './entry.js';
import { type HotRequest, queryParameter } from './hot-request.js';
import { TaskAddresses } from './task-addresses.js';
import { wayOf, wholeWithin } from '../upstream/way.js';

const SEED_MS = 30_000;
const PICTURE_MS = 30_000;
const MAX_PICTURE = 32 * 1024 * 1024;
/** Most ids in one request for a list of tasks. */
const MOST_IDS = 500;

interface Picture {
  type: string;
  body: Buffer;
  isFinal: boolean;
}

/**
 * Answers queries about tasks: the caller's own from the channel service, pictures and upstreams' callbacks by signed
 * addresses.
 */
@Injectable()
export class TaskQueries {
  constructor(
    private readonly entry: Entry,
    private readonly bodies: BodyIntake,
    private readonly rateLimit: ModelRateLimit,
    private readonly tasks: TasksClient,
    private readonly routeTable: RouteTable,
    private readonly addresses: TaskAddresses,
    private readonly outbound: OutboundClient,
    private readonly logger: Logger,
  ) {}

  async fetchDrawing(request: HotRequest): Promise<void> {
    sendJson(request, this.drawingOf((await this.ownDrawing(request)).task));
  }

  async fetchDrawings(request: HotRequest): Promise<void> {
    const { user, ids } = await this.idsOf(request, () => drawingFault('bind_request_body_failed'));
    const found = await this.tasks.find(user.id, 'midjourney', ids);
    sendJson(
      request,
      found.map((task) => this.drawingOf(task)),
    );
  }

  /**
   * The seed of a picture, fetched from the upstream on each request, because it is not stored. So it counts for the
   * rate limit, unlike queries that Tollgate answers by itself.
   */
  async getImageSeed(request: HotRequest): Promise<void> {
    const { task, user, token } = await this.ownDrawing(request);
    await this.rateLimit.counted(user.id, token.group || user.group, async (succeeded) => {
      const channel = this.routeTable.channel(task.channelId);
      if (!channel) throw originGone('midjourney');
      if (channel.status !== ChannelStatus.enabled) throw originOff('midjourney');
      const reply = await this.seedOf(request, channel, task.upstreamId);
      if (!reply) throw drawingFault('unmarshal_response_body_failed', DRAWING_UNKNOWN);
      sendJson(request, reply);
      succeeded();
    });
  }

  async fetchSong(request: HotRequest): Promise<void> {
    const { user } = await this.entry.uncounted(request);
    const [song] = await this.tasks.find(user.id, 'suno', [request.named ?? '']);
    if (!song) throw songFault('task_not_exist');
    sendJson(request, { code: 'success', message: '', data: songOf(song) });
  }

  async fetchSongs(request: HotRequest): Promise<void> {
    const { user, ids } = await this.idsOf(request, (message) => songFault('invalid_request', message));
    const found = await this.tasks.find(user.id, 'suno', ids);
    sendJson(request, { code: 'success', message: '', data: found.map(songOf) });
  }

  /** A callback of the upstream that works on the task, authenticated by the signature in its address. */
  async noteDrawing(request: HotRequest): Promise<void> {
    const task = this.addresses.callbackTask(queryParameter(request.raw, 'sign') ?? '');
    if (!task) throw new Refusal(403, 'sign is not valid', '4', { type: 'upstream_error' });
    const body = await this.smallBody(request, () => drawingFault('bind_request_body_failed'));
    const item = readDrawing(body);
    if (!item) throw drawingFault('bind_request_body_failed');
    const channel = this.routeTable.channel(task.channelId);
    const { upstreamId, ...news } = maskedItem(item, channel);
    if (!(await this.tasks.note({ ...task, upstreamId, news }))) throw drawingFault('midjourney_task_not_found');
    sendJson(request, { code: 1, description: 'success' });
  }

  async showPicture(request: HotRequest): Promise<void> {
    const taskId = this.addresses.pictureTask(request.named ?? '', queryParameter(request.raw, 'sign') ?? '');
    const picture = taskId === undefined ? null : await this.tasks.picture(taskId);
    if (!picture) return sendJson(request, { error: 'midjourney_task_not_found' }, { status: 400 });
    const { url, proxy, isOfChannel, isFinal } = picture;
    try {
      const kind = isOfChannel ? 'channel' : 'user';
      const reply = await this.outbound.send({ kind, url, proxy, timeoutMs: PICTURE_MS, maxBytes: MAX_PICTURE });
      const type = String(reply.headers['content-type'] ?? 'image/jpeg');
      if (reply.status !== 200 || !type.startsWith('image/')) throw new Error(`answered ${reply.status} with ${type}`);
      this.sendPicture(request, { type, body: reply.body, isFinal });
    } catch (error) {
      this.logger.warn('a picture could not be fetched', { error, taskId, requestId: request.id });
      sendJson(request, { error: 'http_get_image_failed' }, { status: 500 });
    }
  }

  private sendPicture({ id, response }: HotRequest, { type, body, isFinal }: Picture): void {
    response.writeHead(200, {
      'content-type': type,
      'content-length': body.length,
      'cache-control': isFinal ? 'private, max-age=86400' : 'no-store',
      // An image may be an SVG with scripts, so it gets a content security policy.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'x-oneapi-request-id': id,
    });
    response.end(body);
  }

  private async ownDrawing(request: HotRequest): Promise<Admitted & { task: TaskRecord }> {
    const admitted = await this.entry.uncounted(request);
    const [task] = await this.tasks.find(admitted.user.id, 'midjourney', [request.named ?? '']);
    if (!task) throw drawingFault('task_no_found');
    return { ...admitted, task };
  }

  private smallBody(request: HotRequest, fault: (message: string) => Refusal): Promise<JsonObject> {
    return this.bodies.receiveUnpaid(request, (bytes, claim) => {
      try {
        return Promise.resolve(parseBody(bytes, 'playground', claim).json);
      } catch (error) {
        if (error instanceof Refusal && error.status === 400) throw fault(error.message);
        throw error;
      }
    });
  }

  private async idsOf(
    request: HotRequest,
    fault: (message: string) => Refusal,
  ): Promise<Admitted & { ids: readonly string[] }> {
    const admitted = await this.entry.uncounted(request);
    const { ids } = await this.smallBody(request, fault);
    if (!Array.isArray(ids)) throw fault('ids must be a list');
    // Some clients send a numeric id as a JSON number.
    const list = ids.filter((id) => typeof id === 'string' || Number.isSafeInteger(id)).map(String);
    if (list.length > MOST_IDS) throw fault(`ids: at most ${MOST_IDS}`);
    return { ...admitted, ids: list };
  }

  private async seedOf(request: HotRequest, channel: RoutedChannel, id: string): Promise<JsonObject | undefined> {
    const way = wayOf(channel.setting);
    try {
      const { body } = await this.outbound.send({
        kind: 'channel',
        url: `${taskAddress(channel)}/mj/task/${encodeURIComponent(id)}/image-seed`,
        headers: { 'mj-api-secret': channel.key },
        timeoutMs: wholeWithin(way, SEED_MS),
        proxy: way.proxy,
      });
      return parseReply(withoutSecrets(body, channel));
    } catch (error) {
      const { id: requestId } = request;
      this.logger.warn('the seed of a picture could not be fetched', { error, channelId: channel.id, requestId });
      throw drawingFault('do_request_failed', DRAWING_UNKNOWN);
    }
  }

  private drawingOf(task: TaskRecord): object {
    return {
      id: task.upstreamId,
      action: task.action,
      customId: '',
      botType: '',
      prompt: task.prompt,
      promptEn: task.promptEn,
      description: task.description,
      state: task.state,
      submitTime: task.submittedAt,
      startTime: task.startedAt,
      finishTime: task.finishedAt,
      imageUrl: this.addresses.picture(task),
      status: task.status,
      progress: task.progress,
      failReason: task.failReason,
      buttons: parsed(task.buttons) ?? [],
      maskBase64: '',
      properties: shownProperties(task.properties),
    };
  }
}

/** Parses JSON that we stored ourselves; an empty text means there is no value. */
const parsed = (text: string): unknown => (text === '' ? undefined : (JSON.parse(text) as unknown));

const seconds = (time: number): number => Math.floor(time / 1000);

const songOf = (task: TaskRecord): object => ({
  task_id: task.upstreamId,
  action: task.action,
  status: task.status,
  fail_reason: task.failReason,
  submit_time: seconds(task.submittedAt),
  start_time: seconds(task.startedAt),
  finish_time: seconds(task.finishedAt),
  progress: task.progress,
  data: parsed(task.data) ?? null,
});
