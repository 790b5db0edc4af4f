import { allServices } from '@tollgate/all-in-one';
import type { FakeUpstream, Stand } from '@tollgate/testing';
import { startFakeUpstream, startProduct, startStand } from '@tollgate/testing';
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
/** A product with its administrator. */
export const runStand = (environment: Record<string, string> = {}): Promise<Running<Stand>> =>
  run(() => startStand(allServices, environment));

export type RunningProduct = Awaited<ReturnType<typeof runProduct>>;
export type RunningStand = Running<Stand>;
