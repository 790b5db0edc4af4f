/**
 * An empty tab, opened at once so that the browser sees the click; its address follows. It cannot reach back: whatever is
 * opened there must not lead this page elsewhere.
 */
export function openTab(): Window | null {
  const tab = window.open('', '_blank');
  if (tab) tab.opener = null;
  return tab;
}
