import type { WhyChannel, WhyPlace, WhyReason } from '@tollgate/contracts/api/channel-health';
import { ChannelStatus } from '@tollgate/contracts';

/** The relay adds this to every weight in its random choice, so that a channel of weight 0 still gets requests. */
const SMOOTHING = 10;

/** The facts that decide whether a channel can be chosen. */
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
  /** Whether there is an adapter for its type. */
  isBuilt: boolean;
  hasEndpoint: boolean;
  isMappingSound: boolean;
  /** A key that can be decrypted and sent. */
  hasUsableKey: boolean;
  /** Set for a channel with several keys. */
  keys?: { serving: number; size: number } | undefined;
  /** Whether there is a suspicion that no probe has decided yet. */
  isSuspect: boolean;
}

type Reason = WhyChannel['reasons'][number];

/** How many of several keys are in use; empty when all are. */
const keysAway = ({ keys }: Pick<Candidate, 'keys'>): Reason[] =>
  keys && keys.serving < keys.size ? [{ code: 'keys_away', params: keys }] : [];

/** Every reason why the channel cannot be chosen. */
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
  // An enabled channel without a key in use uses those that were set aside automatically, so this is no fault by
  // itself.
  return found.length > 0 && keys?.serving === 0 ? [...found, ...keysAway(candidate)] : found;
}

const remarksOn = ({ isSuspect, statusReason, keys }: Candidate): Reason[] => [
  ...keysAway({ keys }),
  ...(isSuspect ? [{ code: 'suspect' as const satisfies WhyReason }] : []),
  ...(statusReason === '' ? [] : [{ code: 'held' as const satisfies WhyReason, params: { reason: statusReason } }]),
];

/**
 * How each channel is ranked for a request, by the relay's rules: the highest priority first, within a priority at
 * random by (weight + 10), the next priority only after all channels above were tried, and at most `tries` channels in
 * all. Sorted by the order in which they would be tried.
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
