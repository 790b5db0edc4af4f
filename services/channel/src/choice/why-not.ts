import type { WhyChannel, WhyPlace, WhyReason } from '@tollgate/contracts/api/channel-health';
import { ChannelStatus } from '@tollgate/contracts';

/** Added to every weight by the relay's draw, so that a channel of weight 0 still gets traffic. */
const SMOOTHING = 10;

/** What is known of a channel that decides whether it can be asked. */
export interface Candidate {
  id: number;
  name: string;
  type: number;
  status: number;
  statusReason: string;
  priority: number;
  weight: number;
  servesGroup: boolean;
  servesModel: boolean;
  /** Something here speaks to its type. */
  isBuilt: boolean;
  hasEndpoint: boolean;
  isMappingSound: boolean;
  /** One that opens and can be sent. */
  hasUsableKey: boolean;
  /** Of a channel with several keys. */
  keys?: { serving: number; size: number } | undefined;
  /** Requests speak against it, and no probe has decided yet. */
  isSuspect: boolean;
}

type Reason = WhyChannel['reasons'][number];

/** How many of several keys are left; nothing where all serve. */
const keysAway = ({ keys }: Pick<Candidate, 'keys'>): Reason[] =>
  keys && keys.serving < keys.size ? [{ code: 'keys_away', params: keys }] : [];

/** Everything that keeps the channel from being asked. */
function faultsOf(candidate: Candidate): Reason[] {
  const { status, statusReason, keys } = candidate;
  const faults: [boolean, Reason][] = [
    [status === ChannelStatus.disabled, { code: 'disabled' }],
    [status === ChannelStatus.autoDisabled, { code: 'auto_disabled', params: { reason: statusReason } }],
    [!candidate.servesGroup, { code: 'group' }],
    [!candidate.servesModel, { code: 'model' }],
    [!candidate.isBuilt, { code: 'not_built' }],
    [candidate.isBuilt && !candidate.hasEndpoint, { code: 'endpoint' }],
    [!candidate.isMappingSound, { code: 'mapping' }],
    [!candidate.hasUsableKey, { code: 'key' }],
  ];
  const found = faults.filter(([holds]) => holds).map(([, reason]) => reason);
  // A channel that is on goes on with the keys that went by themselves.
  return found.length > 0 && keys?.serving === 0 ? [...found, ...keysAway(candidate)] : found;
}

const remarksOn = ({ isSuspect, statusReason, keys }: Candidate): Reason[] => [
  ...keysAway({ keys }),
  ...(isSuspect ? [{ code: 'suspect' as const satisfies WhyReason }] : []),
  ...(statusReason === '' ? [] : [{ code: 'held' as const satisfies WhyReason, params: { reason: statusReason } }]),
];

/**
 * Where each channel stands for a request, as the relay chooses: the highest priority first, within it a draw by (weight + 10), the
 * next priority only when every channel above was tried, and `tries` channels in all. The first to be asked come first.
 */
export function whyNot(candidates: readonly Candidate[], tries: number): WhyChannel[] {
  const able = candidates.filter((candidate) => faultsOf(candidate).length === 0);
  const best = Math.max(...able.map(({ priority }) => priority));
  const explained = candidates.map((candidate): WhyChannel => {
    const { id, name, type, status, priority, weight } = candidate;
    const row = { id, name, type, status, priority, weight };
    const faults = faultsOf(candidate);
    if (faults.length > 0) return { ...row, share: 0, place: 'out', reasons: faults };
    const tier = able.filter((other) => other.priority === priority);
    const share = (weight + SMOOTHING) / tier.reduce((sum, other) => sum + other.weight + SMOOTHING, 0);
    const above = able.filter((other) => other.priority > priority).length;
    const remarks = remarksOn(candidate);
    if (priority === best) return { ...row, share, place: 'first', reasons: remarks };
    const lower: Reason = { code: 'lower_priority', params: { above, best } };
    if (above < tries) return { ...row, share, place: 'retry', reasons: [lower, ...remarks] };
    return {
      ...row,
      share,
      place: 'never',
      reasons: [lower, { code: 'beyond_retries', params: { tries } }, ...remarks],
    };
  });
  return explained.sort(
    (one, other) =>
      PLACES[one.place] - PLACES[other.place] ||
      other.priority - one.priority ||
      other.weight - one.weight ||
      one.id - other.id,
  );
}

const PLACES: Record<WhyPlace, number> = { first: 0, retry: 1, never: 2, out: 3 };
