const LIFTED = ['pointerup', 'pointercancel', 'dragend'];

let isPressed = false;
window.addEventListener('pointerdown', () => (isPressed = true), true);
for (const event of LIFTED) window.addEventListener(event, () => (isPressed = false), true);

/**
 * Runs `task` now or, while a mouse button or a finger is down, as soon as it is lifted: what moves the page meanwhile
 * would move the pressed button away, and the click would be lost.
 */
export function afterPress(task: () => void): void {
  if (!isPressed) return task();
  const run = (): void => {
    for (const event of LIFTED) window.removeEventListener(event, run, true);
    // After the click, which follows the lifting.
    setTimeout(task);
  };
  for (const event of LIFTED) window.addEventListener(event, run, true);
}
