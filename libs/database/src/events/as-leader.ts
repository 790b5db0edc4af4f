import { type EntityManager, RequestContext } from '@mikro-orm/postgresql';
import type { Leader } from './leader.js';

/** A periodic task of the replica that leads, in a database session of its own. The others do nothing, unless `otherwise` says what. */
export const asLeader =
  (leader: Pick<Leader, 'isLeader'>, em: EntityManager, task: () => Promise<unknown>, otherwise?: () => void) =>
  async (): Promise<void> => {
    if (leader.isLeader) await RequestContext.create(em, async () => void (await task()));
    else otherwise?.();
  };
