import type { Attempt, EventBatch, requestConsumed } from '@tollgate/contracts';
import { readUntil } from '@tollgate/testing';
import { ConsumptionService } from '../src/suspicion/consumption.service.js';
import { Prober } from '../src/suspicion/prober.js';
import type { ChannelTestBed } from './channel-test-bed.js';
import { consumed } from './consumed-event.js';

/** A row of the timeline. */
interface Row {
  outcome: string;
  cause: string;
  from_status: number;
  to_status: number;
  reason: string;
  evidence: Record<string, unknown> & { probe?: Record<string, unknown> };
  actor_id: number | null;
}

/** The upstream's message. */
export const MESSAGE = 'Incorrect-API-key';

/** The behaviour of an upstream that refuses the key. */
export const REFUSES = `status=401,code=invalid_api_key,type=authentication_error,message=${MESSAGE}`;

/** Delivers requests that are evidence against channels, and reads what the service decides. */
export function suspectsAt(testBed: () => ChannelTestBed) {
  const deliver = (batch: EventBatch<typeof requestConsumed>): Promise<void> =>
    testBed().inSession(() => testBed().get(ConsumptionService).count(batch));
  const refusalOf = (channelId: number): Attempt => ({
    channelId,
    channelType: 1,
    class: 'credential',
    status: 401,
    errorCode: 'invalid_api_key',
    errorType: 'authentication_error',
    message: 'as the user was told',
    durationMs: 5,
  });
  const refused = (channelIds: number | number[], atMs = Date.now(), userId = 1) =>
    consumed({ userId, channelId: 0, quota: 0, outcome: 'failed', attempts: [channelIds].flat().map(refusalOf) }, atMs);
  const transitionsOf = (id: number): Promise<Row[]> =>
    testBed().query<Row>('select * from "channel_transition" where "channel_id" = ? order by "id"', [id]);
  const statusOf = async (id: number): Promise<number> => (await testBed().find(id)).status;
  const suspicions = (): Promise<
    { channel_id: number; cleared_at: Date | null; witnesses: unknown[]; undecided: number }[]
  > => testBed().query('select * from "channel_suspicion" order by "channel_id"');
  /** Waits until the timeline has this many rows and returns them. */
  const timeline = (id: number, rows = 1): Promise<Row[]> =>
    readUntil(
      () => transitionsOf(id),
      ({ length }) => length >= rows,
    );
  /**
   * Makes pending probes due now. Waits for running ones first, because a probe stores the time of the next one after
   * its row of the timeline.
   */
  const hurry = async (): Promise<void> => {
    await testBed().get(Prober).settled();
    await testBed().query(`update "channel_suspicion" set "probe_at" = now() - interval '1 second' returning 1`);
    testBed().get(Prober).wake();
  };
  return { deliver, refusalOf, refused, transitionsOf, statusOf, suspicions, timeline, hurry };
}
