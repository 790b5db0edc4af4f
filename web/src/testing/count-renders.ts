/** What React tells the browser's developer tools at each commit, as far as it is read here. */
interface Fiber {
  tag: number;
  flags: number;
  alternate: Fiber | null;
  child: Fiber | null;
  sibling: Fiber | null;
}

/** Functions, classes, and what is wrapped around functions; elements of the document are none. */
const COMPONENTS = new Set([0, 1, 11, 14, 15]);
const WORKED = 1;

let count = 0;

/** Parts that kept their children did not draw them, so nothing below is looked at. */
function countBelow(fiber: Fiber): void {
  const before = fiber.alternate;
  if (COMPONENTS.has(fiber.tag) && (before === null || (fiber.flags & WORKED) !== 0)) count += 1;
  if (before !== null && before.child === fiber.child) return;
  for (let child = fiber.child; child; child = child.sibling) countBelow(child);
}

Object.assign(globalThis, {
  __REACT_DEVTOOLS_GLOBAL_HOOK__: {
    supportsFiber: true,
    isDisabled: false,
    inject: () => 1,
    onCommitFiberRoot: (_: number, { current }: { current: Fiber }) => countBelow(current),
    onCommitFiberUnmount: () => undefined,
    onPostCommitFiberRoot: () => undefined,
  },
});

/**
 * How many components were drawn since the last time it was asked: a measure of the work that is the same on every machine.
 * React looks for its listener once, when it is loaded, so a spec imports what draws only afterwards, by `await import`.
 */
export function takeRenders(): number {
  const taken = count;
  count = 0;
  return taken;
}
