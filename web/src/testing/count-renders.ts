/** The part of React's fibers used here, as React passes them to the hook of its developer tools at each commit. */
interface Fiber {
  tag: number;
  flags: number;
  alternate: Fiber | null;
  child: Fiber | null;
  sibling: Fiber | null;
}

/**
 * React's tags of components: functions, classes, and wrappers of functions such as `memo`. Tags of DOM elements are
 * left out.
 */
const COMPONENTS = new Set([0, 1, 11, 14, 15]);
const WORKED = 1;

let count = 0;

/** A component that kept its child fiber did not render its children again, so nothing below it is counted. */
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
 * The number of components rendered since the last call: a measure of work that is the same on every machine. React
 * looks for its developer tools hook once, when it is loaded, so a spec imports this file first and everything that
 * loads React afterwards, by `await import`.
 */
export function takeRenders(): number {
  const taken = count;
  count = 0;
  return taken;
}
