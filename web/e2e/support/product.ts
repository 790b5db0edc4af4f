import { allServices } from '@tollgate/all-in-one';
import type { FakeUpstream, Site, Stand } from '@tollgate/testing';
import { setUpSite, startFakeUpstream, startProduct, startStand } from '@tollgate/testing';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the suites of the cluster start it by the same few lines
import { startCluster } from '../../../services/all-in-one/test/cluster.js';
import { Desk } from './desk.js';

interface Running<Product> {
  product: Product;
  upstream: FakeUpstream;
  desk: Desk;
  close(): Promise<void>;
}

/** A product, a provider for it and a browser at its address; what was started before a failure is closed again. */
async function run<Product extends { url: string; close(): Promise<void> }>(
  start: () => Promise<Product>,
): Promise<Running<Product>> {
  const upstream = await startFakeUpstream();
  const product = await start();
  const desk = await Desk.open(product.url);
  return {
    ...{ product, upstream, desk },
    async close() {
      await desk.close();
      await product.close();
      await upstream.close();
    },
  };
}

/** A product that nobody has set up. */
export const runProduct = () => run(() => startProduct(allServices));
type ClosableSite = Site & { close(): Promise<void> };

async function startSiteOnCluster(environment: Record<string, string>): Promise<ClosableSite> {
  const cluster = await startCluster({ TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1', ...environment });
  return { ...(await setUpSite(cluster.url)), close: () => cluster.close() };
}

/** A product with its administrator, in this process. */
export const runStand = (environment: Record<string, string> = {}): Promise<RunningStand> =>
  run(() => startStand(allServices, environment));

/** The same for journeys that need no more of it than calls; with `TOLLGATE_E2E=cluster` as separate processes, two of most services. */
export const runSite = (environment: Record<string, string> = {}): Promise<RunningSite> =>
  run<ClosableSite>(() =>
    process.env.TOLLGATE_E2E === 'cluster' ? startSiteOnCluster(environment) : startStand(allServices, environment),
  );

export type RunningProduct = Awaited<ReturnType<typeof runProduct>>;
export type RunningStand = Running<Stand>;
export type RunningSite = Running<ClosableSite>;
