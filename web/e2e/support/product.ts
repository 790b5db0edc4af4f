import { randomUUID } from 'node:crypto';
import { allServices } from '@tollgate/all-in-one';
import type { ServiceName } from '@tollgate/contracts';
import type { FakeUpstream, Site } from '@tollgate/testing';
import { runSql, setUpSite, startFakeUpstream, startProduct as startProcess } from '@tollgate/testing';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the suites of the cluster use it by the same few lines
import { appendOnCluster } from '../../../services/all-in-one/test/cluster/append-on-cluster.js';
// eslint-disable-next-line @nx/enforce-module-boundaries -- as above
import { runOnCluster, startCluster } from '../../../services/all-in-one/test/cluster/cluster.js';
import { Desk } from './desk.js';

/** The product, however it runs, before its set-up. */
export interface Product {
  url: string;
  /** Executes SQL on a service's database, for changes that would otherwise take hours. */
  sql(service: ServiceName, sql: string): Promise<void>;
  /** Appends a record to the event log, as a service does that was disconnected. */
  append(topic: string, record: { key: string; value: string }): Promise<void>;
  close(): Promise<void>;
}

/** The product with its administrator. */
export type ProductSite = Product & Site;

interface Running<Started> {
  product: Started;
  upstream: FakeUpstream;
  desk: Desk;
  close(): Promise<void>;
}

async function startInProcess(environment: Record<string, string>): Promise<Product> {
  const { url, process, host, close } = await startProcess(allServices, environment);
  return {
    ...{ url, close },
    sql: (service, sql) => runSql({ process }, service, sql),
    append: (topic, record) => host.eventLog.append(topic, [record]),
  };
}

async function startOnCluster(environment: Record<string, string>): Promise<Product> {
  const prefix = `test-${randomUUID().slice(0, 8)}.`;
  const cluster = await startCluster({
    TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1',
    TOLLGATE_TOPIC_PREFIX: prefix,
    // A single process offers it without being told.
    TOLLGATE_DEMONSTRATION: 'on',
    ...environment,
  });
  return {
    url: cluster.url,
    sql: (service, text) => runOnCluster(cluster, service, text),
    append: (topic, record) => appendOnCluster(cluster, prefix, topic, record),
    close: () => cluster.close(),
  };
}

/** Starts the product in the process of the tests or, with `TOLLGATE_E2E=cluster`, as separate processes, most services twice. */
const startProduct = (environment: Record<string, string>): Promise<Product> =>
  process.env.TOLLGATE_E2E === 'cluster' ? startOnCluster(environment) : startInProcess(environment);

/** Starts a product and sets it up. */
export async function startSite(environment: Record<string, string> = {}): Promise<ProductSite> {
  const product = await startProduct(environment);
  try {
    return { ...product, ...(await setUpSite(product.url)) };
  } catch (error) {
    await product.close();
    throw error;
  }
}

/** Starts a product, an upstream for it and a browser at its address. */
async function run<Started extends Product>(start: () => Promise<Started>): Promise<Running<Started>> {
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
export const runProduct = (): Promise<RunningProduct> => run(() => startProduct({}));

/** A product with its administrator. */
export const runSite = (environment: Record<string, string> = {}): Promise<RunningSite> =>
  run(() => startSite(environment));

export type RunningProduct = Running<Product>;
export type RunningSite = Running<ProductSite>;
