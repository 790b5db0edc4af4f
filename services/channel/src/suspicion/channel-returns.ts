import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus, speechlessChannelTypes } from '@tollgate/contracts';
import { Clock, OptionStore } from '@tollgate/chassis';
import { bound, sqlTime } from '@tollgate/database';
import { evidenceOf, judgeTest, type TestOutcome, testPolicyOf } from '../channel-test/test-verdict.js';
import type { Move } from '../channel/channel-changes.js';
import { LONGEST_PAUSE, PAUSES } from '../channel/channel-keys.js';
import type { Channel } from '../channel/channel.entity.js';
import { HealthService } from '../health/health.service.js';

/**
 * Enables channels that were switched off automatically as a whole, once a probe succeeds, if channels may be enabled
 * automatically. Left out are those whose keys are probed one by one (`KeyReturns`) and types that no test can call.
 */
@Injectable()
export class ChannelReturns {
  constructor(
    private readonly em: EntityManager,
    private readonly health: HealthService,
    private readonly options: OptionStore,
    private readonly clock: Clock,
  ) {}

  /** Whether `claim` would find any, as an SQL expression. */
  due(): string {
    return testPolicyOf(this.options).enable ? `exists (select ${this.fromDue()})` : 'false';
  }

  private fromDue(): string {
    const now = this.clock.now();
    // A probe further away than the longest pause was scheduled by a clock that was ahead.
    const due = `("probe_at" <= ${sqlTime(now)} or "probe_at" > ${sqlTime(now + LONGEST_PAUSE * 1000)})`;
    return `from "channel" where ${due} and "status" = ${ChannelStatus.autoDisabled}
      and "type" not in (${speechlessChannelTypes.join()}) and not jsonb_path_exists("key_states", '$.* ? (@.status == ${ChannelStatus.autoDisabled})')`;
  }

  /**
   * Claims due channels, each for one process. The next probe is scheduled here, so that it comes whatever happens to
   * this one.
   */
  async claim(limit: number): Promise<number[]> {
    if (!testPolicyOf(this.options).enable) return [];
    // The pause after one more probe; arrays of SQL count from 1.
    const pause = `(array[${PAUSES.join()}])["probes" + 2]`;
    const rows = await bound<{ id: number }>(
      this.em,
      `update "channel" set "probes" = "probes" + 1,
         "probe_at" = $1::timestamptz + coalesce(${pause}, ${LONGEST_PAUSE}) * interval '1 second'
       where "id" in (select "id" ${this.fromDue()} order by "probe_at" limit $2 for update skip locked) returning "id"`,
      [new Date(this.clock.now()), limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Applies the result of a probe by the rule of the test of all channels, which never enables a slow channel. */
  async conclude(channelId: number, outcome: TestOutcome): Promise<void> {
    await this.health.apply(channelId, outcome.startedAt, (channel: Channel): Move | undefined => {
      const verdict = judgeTest(channel, outcome, testPolicyOf(this.options));
      if (verdict?.to !== ChannelStatus.enabled) return undefined;
      return { ...verdict, cause: 'test', evidence: evidenceOf(outcome) };
    });
  }
}
