import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { digestRequests } from '@tollgate/contracts';
import { Answers, leastIdAt, requestDigest, timeOfId } from '@tollgate/chassis';
import type { z } from 'zod';

/** How long before its log row a request may have been admitted, */
const LONGEST = '1 hour';
/** and how long a replica may not have heard that the log is written again. */
const HEARD = '5 minutes';

/** The requests of a period as the usage log has them, for whoever compares them with the journal. */
@Controller()
export class DigestInternalController {
  constructor(private readonly em: EntityManager) {}

  @Answers(digestRequests)
  async digest(
    @Body({ schema: digestRequests.input }) { fromId, toId }: z.output<typeof digestRequests.input>,
  ): Promise<z.output<typeof digestRequests.output>> {
    const [row] = await this.em.execute<{ requests: string; units: string; digest: string }[]>(
      requestDigest('"event_id"', '"quota"', '"log" where "type" in (2, 5)'),
      [fromId, toId],
    );
    const { requests = '0', units = '0', digest = '0' } = row ?? {};
    return { requests, units, digest, isComparable: await this.isComparable(fromId, toId) };
  }

  /** Not where rows were left out or cleared on purpose. */
  private async isComparable(fromId: string, toId: string): Promise<boolean> {
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
    return row?.off !== true && fromId >= leastIdAt(Number(row?.cleared ?? 0) * 1000);
  }
}
