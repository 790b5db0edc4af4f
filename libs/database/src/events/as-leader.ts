import { type EntityManager, RequestContext } from '@mikro-orm/postgresql';
import type { Leader } from './leader.js';

/**
 * Wraps a periodic task so that only the leading replica runs it, in its own database session. Other replicas run `otherwise`, if given.
 */
export const asLeader =
  (leader: Pick<Leader, 'isLeader'>, em: EntityManager, task: () => Promise<unknown>, otherwise?: () => void) =>
  async (): Promise<void> => {
    if (leader.isLeader) await RequestContext.create(em, async () => void (await task()));
    else otherwise?.();
  };
