import { Injectable } from '@nestjs/common';
import {
  type AppliedPrice,
  findChange,
  findRequest,
  findTask,
  PRICING_OPTIONS,
  type TaskRecord,
} from '@tollgate/contracts';
import type { Log, LogOther } from '@tollgate/contracts/api/log';
import { LogType } from '@tollgate/contracts/roles';
import type { ProofStep } from '@tollgate/contracts/api/proof';
import { InternalClient, timeOfId } from '@tollgate/chassis';
import { freeOf, priceFor, ratingOf } from '@tollgate/pricing';
import { PriceService } from '../pricing/price.service.js';
import { units } from '../units.js';
import { correctionNames } from '../correction/correction-names.js';
import { type Evidence, EvidenceQueries } from './evidence.queries.js';
import { MovementSteps } from './movement-steps.js';
import { eventStep, postingSteps } from './posting-steps.js';
import { step } from './steps.js';
import { otherOf, usageOfRow } from './usage-of-row.js';

interface Known {
  posting?: Evidence;
  log?: Log;
  other: LogOther;
  /** The task as the channel service stores it; only fetched for the chain of a task. */
  task?: TaskRecord | null;
  /** Whether to include channels, replicas, acting users and the number of the log's row, which only administrators see. */
  all: boolean;
}

export interface Chain {
  userId: number;
  steps(all: boolean): Promise<ProofStep[]>;
}

const REQUEST_TYPES: ReadonlySet<number> = new Set([LogType.consume, LogType.error]);

/**
 * Shows one request from its admission to its row in the log, from the data of the journal, the price versions and the
 * log.
 */
@Injectable()
export class RequestChain {
  constructor(
    private readonly queries: EvidenceQueries,
    private readonly prices: PriceService,
    private readonly movements: MovementSteps,
    private readonly internal: InternalClient,
  ) {}

  /** Whether this posting is the charge of a request. */
  async isCharge(id: string): Promise<boolean> {
    return (await this.queries.posting(id))?.code === 'consumption';
  }

  /** `undefined` where neither the journal nor the log has the request. */
  async find(id: string, isTask = false): Promise<Chain | undefined> {
    const [posting, { log }] = await Promise.all([
      this.queries.posting(id),
      this.internal.call(findRequest, { requestId: id }),
    ]);
    const charge = posting?.code === 'consumption' ? posting : undefined;
    // Log rows of other movements have the ids of their postings, and do not count as requests.
    const row = log && REQUEST_TYPES.has(log.type) ? log : undefined;
    const userId = charge?.user_id ?? row?.user_id;
    if (userId === undefined) return undefined;
    const task = isTask ? await this.taskOf(id) : undefined;
    const known = { posting: charge, log: row, other: row ? otherOf(row) : {}, task };
    return { userId, steps: (all) => this.stepsOf(id, { ...known, all }) };
  }

  /**
   * `undefined` while the channel service is unavailable, or of an older release: a chain without this step is better
   * than none.
   */
  private async taskOf(requestId: string): Promise<TaskRecord | null | undefined> {
    const { task } = await this.internal.call(findTask, { requestId }).catch(() => ({ task: undefined }));
    return task;
  }

  private async stepsOf(id: string, known: Known): Promise<ProofStep[]> {
    const changes = await this.queries.byReference(correctionNames(id), ['task-refund', 'correction']);
    return [
      received(id, known),
      ...(await this.price(id, known)),
      ...(await this.hold(id, known)),
      ...attempts(id, known),
      ...submitted(known),
      ...(await this.rating(known)),
      ...(known.posting
        ? [eventStep(known.posting), ...postingSteps(known.posting, known.all)]
        : [step({ link: 'posting', state: 'missing', time: 0 }, {})]),
      logged(known),
      ...(await Promise.all(changes.map((row) => this.movements.of(row, known.all)))).flat(),
    ];
  }

  private async price(id: string, { posting, other, all }: Known): Promise<ProofStep[]> {
    const version = posting?.price_version ?? other.price_version;
    if (!version) return [];
    const at = timeOfId(id);
    const [document, published] = await Promise.all([this.prices.find(version), this.queries.publishedAt(version, at)]);
    const author = all && published ? await this.authorOf(published.getTime()) : {};
    const state = document ? 'done' : 'missing';
    return [step({ link: 'price', state, time: published?.getTime() ?? 0 }, { price_version: version, ...author })];
  }

  /** Who last changed the prices before they were published; empty for the prices that the product came with. */
  private async authorOf(published: number): Promise<{ author_id?: number; option?: string }> {
    const subjects = PRICING_OPTIONS.map((key) => `option:${key}`);
    // The change is announced before its prices are published, but the two clocks may differ.
    const before = published + 1000;
    const { change } = await this.internal.call(findChange, { subjects, action: 'option-update', before });
    if (!change) return {};
    return {
      ...(change.actorId !== null && { author_id: change.actorId }),
      option: change.subject.slice('option:'.length),
    };
  }

  private async hold(id: string, { posting, other, all }: Known): Promise<ProofStep[]> {
    const epoch = posting?.replica_epoch;
    if (other.held === undefined && !epoch) return [];
    const lease = all && posting && epoch ? await this.queries.lease(posting.user_id, epoch) : undefined;
    return [
      step(
        { link: 'hold', state: 'done', time: timeOfId(id) },
        {
          held: other.held,
          ...(all && { replica_epoch: epoch }),
          ...(lease && { lease_granted: lease.granted, lease_returned: lease.returned, lease_booked: lease.booked }),
        },
      ),
    ];
  }

  /** Rates the request again, with the usage of the log row and the prices of its version. */
  private async rating({ posting, log, other }: Known): Promise<ProofStep[]> {
    if (!log || other.outcome === 'failed') return [];
    const usage = usageOfRow(log, other);
    const usageStep = step(
      { link: 'usage', state: 'done', time: log.created_at * 1000 },
      {
        prompt_tokens: log.prompt_tokens,
        completion_tokens: log.completion_tokens,
        cache_tokens: other.cache_tokens,
        usage_source: other.usage_source,
        usage_doubt: other.usage_doubt,
        repeats: other.repeats,
        outcome: other.outcome,
      },
    );
    const version = posting?.price_version ?? other.price_version;
    const document = version ? await this.prices.find(version) : undefined;
    const isRealtime = other.ws ?? false;
    const plain = document && priceFor(log.model_name, log.group, document, { acceptUnset: true, isRealtime });
    if (!plain) return [usageStep];
    const price = priceOfRow(plain, other);
    const { lines, exactly, quota } = ratingOf(usage, price);
    const charged = posting ? units(posting.amount) : log.quota;
    const facts = { model_ratio: price.modelRatio, group_ratio: price.groupRatio, exactly, quota, charged };
    return [usageStep, step({ link: 'rating', state: quota === charged ? 'done' : 'differs', time: 0 }, facts, lines)];
  }
}

/** A log row states the ratio of the user's own group within the request's group, but not the own group itself. */
function priceOfRow(plain: AppliedPrice, { user_group_ratio: special = -1, repeats }: LogOther): AppliedPrice {
  const own = special < 0 ? plain : { ...plain, groupRatio: special };
  return repeats === undefined ? own : freeOf(own);
}

function received(id: string, { posting, log, all }: Known): ProofStep {
  const facts = { ...(log && factsOfRow(log)), ...(posting && factsOfCharge(posting)) };
  const { channel_id: channel, ...own } = facts;
  const inside = all ? { channel_id: channel } : {};
  return step({ link: 'received', state: 'done', time: timeOfId(id) }, { request_id: id, ...own, ...inside });
}

const factsOfRow = (log: Log) => ({
  user_id: log.user_id,
  token_id: log.token_id,
  model: log.model_name,
  group: log.group,
  channel_id: log.channel,
});

/** Postings that were booked before these columns existed do not have them; the log row's values are used then. */
const factsOfCharge = (row: Evidence) => ({
  user_id: row.user_id,
  token_id: row.token_id,
  ...(row.model !== '' && { model: row.model, group: row.group, channel_id: row.channel_id }),
});

function attempts(id: string, { other, all }: Known): ProofStep[] {
  const { attempts: tried, use_channel: channels = [] } = other.admin_info ?? {};
  if (!all) return [];
  if (!tried)
    return channels.map((channel) =>
      step({ link: 'attempt', state: 'done', time: timeOfId(id) }, { channel_id: Number(channel), class: 'ok' }),
    );
  return tried.map((attempt) => step({ link: 'attempt', state: 'done', time: timeOfId(id) }, { ...attempt }));
}

/** A request that submitted no task has this step marked as missing. */
function submitted({ task, all }: Known): ProofStep[] {
  if (task === undefined) return [];
  if (task === null) return [step({ link: 'task', state: 'missing', time: 0 }, {})];
  const { platform, action, upstreamId, status, progress, failReason, submittedAt, isOver, channelId } = task;
  const facts = { platform, action, upstream_id: upstreamId, task_status: status, progress, message: failReason };
  const inside = all ? { channel_id: channelId } : {};
  return [step({ link: 'task', state: isOver ? 'done' : 'pending', time: submittedAt }, { ...facts, ...inside })];
}

function logged({ posting, log, all }: Known): ProofStep {
  if (!log) return step({ link: 'log', state: 'missing', time: 0 }, {});
  const differs = posting !== undefined && units(posting.amount) !== log.quota;
  return step(
    { link: 'log', state: differs ? 'differs' : 'done', time: log.created_at * 1000 },
    { ...(all && { log_id: log.id }), type: log.type, quota: log.quota },
  );
}
