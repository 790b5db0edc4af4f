import type { ComponentType, LazyExoticComponent } from 'react';
import { lazy } from 'react';

const RETRY_MS = 1000;

/** Heard by the frame: a file of the console is not there, mostly because a newer version has taken its place. */
export const PART_MISSING = 'tollgate:part-missing';

export class PartMissing extends Error {
  override name = 'PartMissing';
}

/** Loads a file of the console; tried twice, since a network may stumble. Rejects with `PartMissing`, and tells the frame. */
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

/** A part of a page that is loaded when it is shown. If its file is gone, the page stays and the frame says what to do. */
export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(() =>
    loadPart(load).then(
      (part) => ({ default: part }),
      () => ({ default: Nothing as ComponentType<Props> }),
    ),
  );
