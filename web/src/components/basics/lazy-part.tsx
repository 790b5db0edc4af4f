import type { ComponentType } from 'react';
import { createContext, lazy, useCallback, useContext, useEffect, useState } from 'react';
import { MissingPart } from './missing-part.js';

const RETRY_MS = 1000;

/** Event for the frame: a file of the console could not be loaded, maybe because a newer version was deployed. */
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

interface Options<Props> {
  /** Shown instead of a part that cannot be loaded; by default a message with buttons to try again and to reload. */
  instead?: ComponentType<Props>;
  /** The message lies above the page, like the part. Always so for parts that have `onClose`. */
  above?: boolean;
  /** The first attempt, which has begun already. */
  first?: Promise<ComponentType<Props>>;
}

/** Of the part that could not be loaded: loads it once more. */
const Again = createContext<() => void>(() => undefined);
export const useAgain = (): (() => void) => useContext(Again);

/**
 * A component that is loaded when it is first rendered. If its file cannot be loaded the page stays, a message says so in its place, and
 * the file is requested again when the user wants it or opens the part again.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { instead: Instead, above = false, first }: Options<Props> = {},
): ComponentType<Props> {
  // React keeps forever what a lazy component was resolved with, so that each attempt needs one of its own.
  const attempt = (begun?: Promise<ComponentType<Props>>) =>
    lazy(() => (begun ?? loadPart(load)).then((part) => ({ default: part }), missing));
  let latest = attempt(first);

  function Missing(props: Props & { onClose?: () => void }) {
    const again = useAgain();
    useEffect(
      () => () => {
        latest = attempt();
      },
      [],
    );
    if (Instead) return <Instead {...props} />;
    return <MissingPart above={above || props.onClose !== undefined} onClose={props.onClose} again={again} />;
  }
  const missing = () => ({ default: Missing as ComponentType<Props> });

  return function LazyPart(props: Props) {
    const [Part, setPart] = useState(() => latest);
    const again = useCallback(() => {
      latest = attempt();
      setPart(latest);
    }, []);
    return (
      <Again value={again}>
        <Part {...props} />
      </Again>
    );
  };
}
