import type { ComponentType, LazyExoticComponent } from 'react';
import { lazy } from 'react';

const RETRY_MS = 1000;

/** Event for the frame: a file of the console could not be loaded, usually because a newer version was deployed. */
export const PART_MISSING = 'tollgate:part-missing';

export class PartMissing extends Error {
  override name = 'PartMissing';
}

/** Loads a file of the console; tries twice, because a network may fail briefly. Rejects with `PartMissing` after dispatching the event. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load().catch(async () => {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return load();
    });
  } catch (error) {
    window.dispatchEvent(new Event(PART_MISSING));
    throw new PartMissing(String(error), { cause: error });
  }
}

const Nothing = () => null;

/** A component that is loaded when it is first rendered. If its file is gone, the page stays and the frame shows what to do. */
export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(() =>
    loadPart(load).then(
      (part) => ({ default: part }),
      () => ({ default: Nothing as ComponentType<Props> }),
    ),
  );
