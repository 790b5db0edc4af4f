import type { Store } from '../app/store.js';
import { loadPart } from '../components/basics/lazy-part.js';

type Live = Pick<typeof import('../app/live.js'), 'keepLive'>;

/**
 * Loads the code of the live connection and begins it. Nothing depends on it at the start, so it is not among the files
 * of the first view, and without it the console polls.
 */
export async function startLive(
  store: Store,
  load: () => Promise<Live> = () => import('../app/live.js'),
): Promise<void> {
  const live = await loadPart(load).catch(() => undefined);
  live?.keepLive(store);
}
