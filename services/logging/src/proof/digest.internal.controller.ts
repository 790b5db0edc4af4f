import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { digestRequests } from '@tollgate/contracts';
import { Answers, leastIdAt, OptionStore, requestDigest } from '@tollgate/chassis';
import type { z } from 'zod';

/** The requests of a period as the usage log has them, for whoever compares them with the journal. */
@Controller()
export class DigestInternalController {
  constructor(
    private readonly em: EntityManager,
    private readonly options: OptionStore,
  ) {}

  @Answers(digestRequests)
  async digest(
    @Body({ schema: digestRequests.input }) { fromId, toId }: z.output<typeof digestRequests.input>,
  ): Promise<z.output<typeof digestRequests.output>> {
    const [row] = await this.em.execute<{ requests: string; units: string; digest: string }[]>(
      requestDigest('"event_id"', '"quota"', '"log" where "type" in (2, 5)'),
      [fromId, toId],
    );
    const { requests = '0', units = '0', digest = '0' } = row ?? {};
    return { requests, units, digest, isComparable: await this.isComparable(fromId) };
  }

  /** Not where rows were left out or cleared on purpose. */
  private async isComparable(fromId: string): Promise<boolean> {
    if (!this.options.get('LogConsumeEnabled')) return false;
    const [row] = await this.em.execute<{ off: boolean; cleared: string | null }[]>(
      `select exists (select from "audit_entry" where "subject" = 'option:LogConsumeEnabled') as "off",
         (select max(("after"->>'target_timestamp')::bigint) from "audit_entry" where "action" = 'log-cleared') as "cleared"`,
    );
    return row?.off !== true && fromId >= leastIdAt(Number(row?.cleared ?? 0) * 1000);
  }
}
