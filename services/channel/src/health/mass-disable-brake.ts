import type { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';

/** How long an automatic disabling counts. */
export const BRAKE_WINDOW_MS = 10 * 60_000;
const SHARE = 3;
/** A small fleet may lose this many channels within a window, but never all. */
const SMALL_FLEET = 2;

/**
 * How many of `fleet` channels may be disabled automatically within a window: a third, but at least two; all only if
 * there is just one.
 */
export const allowanceOf = (fleet: number): number =>
  Math.max(Math.ceil(fleet / SHARE), Math.min(SMALL_FLEET, fleet - 1), 1);

/** The state of the fleet that decides whether one more channel may be disabled. */
interface FleetState {
  enabled: number;
  /** Disabled automatically within the window and still disabled. */
  taken: number;
  /** Whether the channel is the last enabled one for a group and model that lost another channel within the window. */
  isLastOfItsKind: boolean;
}

/**
 * Whether the channel must stay enabled in spite of the evidence. A fault that hits many channels at once is more
 * likely on our side (a proxy, a clock, a billing interface) than in as many keys, and a fleet that is disabled serves
 * nobody.
 */
export const mustHold = ({ enabled, taken, isLastOfItsKind }: FleetState): boolean =>
  isLastOfItsKind || taken >= allowanceOf(enabled + taken);

/**
 * Takes a lock until the end of the transaction, so that decisions are made one after the other. Lock channels before
 * calling it.
 */
export async function fleetState(em: EntityManager, channelId: number, nowMs: number): Promise<FleetState> {
  await em.execute(`select pg_advisory_xact_lock(hashtextextended('mass-disable-brake', 0))`);
  const [row] = await em.execute<{ enabled: number; taken: number; is_last: boolean }[]>(
    `with "taken" as (
       select distinct t."channel_id" from "channel_transition" t join "channel" c on c."id" = t."channel_id" and c."status" = ${ChannelStatus.autoDisabled}
       where t."outcome" = 'moved' and t."to_status" = ${ChannelStatus.autoDisabled} and t."happened_at" > ?
     )
     select (select count(*)::int from "channel" where "status" = ${ChannelStatus.enabled}) "enabled", (select count(*)::int from "taken") "taken",
       exists (
         select 1 from "ability" own where own."channel_id" = ?
         and exists (select 1 from "ability" o join "taken" on "taken"."channel_id" = o."channel_id"
           where o."group" = own."group" and o."model" = own."model")
         and not exists (select 1 from "ability" o
           where o."group" = own."group" and o."model" = own."model" and o."enabled" and o."channel_id" <> own."channel_id")
       ) "is_last"`,
    [new Date(nowMs - BRAKE_WINDOW_MS), channelId],
  );
  return { enabled: row?.enabled ?? 0, taken: row?.taken ?? 0, isLastOfItsKind: row?.is_last === true };
}
