import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { listChannelHours, nameUsers } from '@tollgate/contracts';
import type { ChannelHealth, HealthHour } from '@tollgate/contracts/api/channel-health';
import { Clock, InternalClient, Logger, OptionStore, unixSeconds } from '@tollgate/chassis';
import { ChannelQueries } from '../channel/channel.queries.js';
import { ChannelTransition } from '../channel/channel-transition.entity.js';
import { TestResult } from '../channel/test-result.entity.js';
import { ChannelSuspicion } from '../suspicion/channel-suspicion.entity.js';
import { toHealthHour, toStep, toSuspicion, toTest } from './timeline.reply.js';

const STEPS = 100;
const TESTS = 50;
const HOUR = 3600;

/** The timeline of a channel, read from data that is recorded anyway. */
@Injectable()
export class HealthTimeline {
  constructor(
    private readonly em: EntityManager,
    private readonly queries: ChannelQueries,
    private readonly internal: InternalClient,
    private readonly clock: Clock,
    private readonly options: OptionStore,
    private readonly logger: Logger,
  ) {}

  /**
   * The newest transitions and tests, and the statistics of the last `hours` hours. Names and statistics are missing
   * when the services that own them do not answer.
   */
  async of(id: number, hours: number): Promise<ChannelHealth> {
    const channel = await this.queries.get(id);
    const to = this.clock.seconds();
    const from = to - (to % HOUR) - (hours - 1) * HOUR;
    const newest = { orderBy: { id: 'desc' }, disableIdentityMap: true } as const;
    const steps = await this.em.find(ChannelTransition, { channelId: id }, { ...newest, limit: STEPS });
    const tests = await this.em.find(TestResult, { channelId: id }, { ...newest, limit: TESTS });
    // Of several suspected keys, the latest one.
    const suspicion = await this.em.findOne(
      ChannelSuspicion,
      { channelId: id, clearedAt: null },
      { orderBy: { observedAt: 'desc' }, disableIdentityMap: true },
    );
    const [names, sums] = await Promise.all([this.namesOf(steps), this.hoursOf(id, from, to)]);
    const { name, status, statusReason, statusChangedAt, createdAt, probeAt } = channel;
    return {
      id,
      name,
      status,
      status_reason: statusReason,
      status_time: unixSeconds(statusChangedAt ?? createdAt),
      created_time: unixSeconds(createdAt),
      ...(probeAt && this.options.get('AutomaticEnableChannelEnabled') && { probe_at: unixSeconds(probeAt) }),
      suspicion: toSuspicion(suspicion),
      steps: steps.map((step) => toStep(step, names[String(step.actorId)] ?? '')),
      tests: tests.map(toTest),
      hours: sums,
      from,
      to,
    };
  }

  private async namesOf(steps: readonly ChannelTransition[]): Promise<Record<string, string>> {
    const ids = [...new Set(steps.flatMap(({ actorId }) => actorId ?? []))];
    if (ids.length === 0) return {};
    return this.internal.call(nameUsers, { ids }).then(
      ({ names }) => names,
      (error: unknown) => {
        this.logger.warn('the names of administrators are not known', { error });
        return {};
      },
    );
  }

  private async hoursOf(id: number, from: number, to: number): Promise<HealthHour[] | null> {
    return this.internal.call(listChannelHours, { channelIds: [id], from, to }).then(
      ({ hours }) => hours.map(toHealthHour),
      (error: unknown) => {
        this.logger.warn('how a channel did is not known', { channelId: id, error });
        return null;
      },
    );
  }
}
