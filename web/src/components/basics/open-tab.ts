/**
 * Opens an empty tab synchronously, within the click that the browser requires; its address is set later. It has no `opener`, so the page
 * opened there cannot navigate this one.
 */
export function openTab(): Window | null {
  const tab = window.open('', '_blank');
  if (tab) tab.opener = null;
  return tab;
}
