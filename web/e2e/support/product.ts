import { allServices } from '@tollgate/all-in-one';
import type { ServiceName } from '@tollgate/contracts';
import type { FakeUpstream, Site, TestBed } from '@tollgate/testing';
import { runSql, setUpSite, startFakeUpstream, startProduct, startTestBed } from '@tollgate/testing';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the suites of the cluster start it by the same few lines
import { runOnCluster, startCluster } from '../../../services/all-in-one/test/cluster/cluster.js';
import { Desk } from './desk.js';

interface Running<Product> {
  product: Product;
  upstream: FakeUpstream;
  desk: Desk;
  close(): Promise<void>;
}

/** Starts a product, an upstream for it and a browser at its address. If one fails to start, those started before are closed. */
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

/** A product before the set-up. */
export const runProduct = () => run(() => startProduct(allServices));
interface ClosableSite extends Site {
  /** Executes SQL on a service's database, for changes that would otherwise take hours. */
  sql(service: ServiceName, sql: string): Promise<void>;
  close(): Promise<void>;
}

async function startSiteInProcess(environment: Record<string, string>): Promise<ClosableSite> {
  const testBed = await startTestBed(allServices, environment);
  return { ...testBed, sql: (service, sql) => runSql(testBed, service, sql) };
}

async function startSiteOnCluster(environment: Record<string, string>): Promise<ClosableSite> {
  const cluster = await startCluster({ TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1', ...environment });
  const sql: ClosableSite['sql'] = (service, text) => runOnCluster(cluster, service, text);
  return { ...(await setUpSite(cluster.url)), sql, close: () => cluster.close() };
}

/** A product with its administrator, in the process of the tests. */
export const runTestBed = (environment: Record<string, string> = {}): Promise<RunningTestBed> =>
  run(() => startTestBed(allServices, environment));

/**
 * The same for journeys that only use its HTTP interface. With `TOLLGATE_E2E=cluster` it runs as separate processes, most services twice.
 */
export const runSite = (environment: Record<string, string> = {}): Promise<RunningSite> =>
  run<ClosableSite>(() =>
    process.env.TOLLGATE_E2E === 'cluster' ? startSiteOnCluster(environment) : startSiteInProcess(environment),
  );

export type RunningProduct = Awaited<ReturnType<typeof runProduct>>;
export type RunningTestBed = Running<TestBed>;
export type RunningSite = Running<ClosableSite>;
