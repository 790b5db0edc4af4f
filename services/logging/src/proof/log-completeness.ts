import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { leastIdAt, timeOfId } from '@tollgate/chassis';
import { bound } from '@tollgate/database';

/** How much earlier than its log row a request may have been admitted. */
const LONGEST = '1 hour';
/** How long it may take until a replica learns that logging was switched on again. */
const HEARD = '5 minutes';

/** Whether the usage log contains every request of a period. */
@Injectable()
export class LogCompleteness {
  constructor(private readonly em: EntityManager) {}

  /**
   * Whether the log contains every request with an id in this range. False where rows were deliberately not written, or
   * were cleared.
   */
  async between(fromId: string, toId: string): Promise<boolean> {
    const { isOff, isCleared } = await this.gaps(fromId, toId);
    return !isOff && !isCleared;
  }

  /** Whether rows were not written, and whether rows were cleared. Sums made before a clearing remain valid. */
  async gaps(fromId: string, toId: string): Promise<{ isOff: boolean; isCleared: boolean }> {
    const [row] = await this.em.execute<{ off: boolean; cleared: string | null }[]>(
      `select exists (
         select from (
           select "happened_at" as "at", lead("happened_at") over (order by "happened_at", "event_id") as "until", "after"->>'value' as "value"
           from "audit_entry" where "subject" = 'option:LogConsumeEnabled'
         ) s where s."value" = 'false' and s."at" - interval '${LONGEST}' < to_timestamp(? / 1000.0)
           and (s."until" is null or s."until" + interval '${HEARD}' > to_timestamp(? / 1000.0))
       ) as "off",
       (select max(("after"->>'target_timestamp')::bigint) from "audit_entry" where "action" = 'log-cleared') as "cleared"`,
      [timeOfId(toId), timeOfId(fromId)],
    );
    return { isOff: row?.off === true, isCleared: fromId < leastIdAt(Number(row?.cleared ?? 0) * 1000) };
  }

  /** Whether the sums contain all of these days; sums are kept when rows are cleared. */
  async isSummed({ firstDay, zone }: { firstDay: string; zone: string }): Promise<boolean> {
    const whole = `select from "channel_usage_start" where "zone" = $1 and "first_day" <= $2::date`;
    return (await bound<object>(this.em, whole, [zone, firstDay])).length > 0;
  }
}
