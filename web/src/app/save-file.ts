/** Duration of a double click, and of the time in which a user cannot tell whether the first click had an effect. */
const DOUBLE_CLICK_MS = 1000;
/** Files that were saved within the last `DOUBLE_CLICK_MS`: name → content. */
const recentlySaved = new Map<string, string | Blob>();

/** Downloads a text or a reply of the server as a file. A second call with the same name and content within `DOUBLE_CLICK_MS` does nothing. */
export function saveFile(name: string, content: string | Blob, type = ''): void {
  if (recentlySaved.get(name) === content) return;
  recentlySaved.set(name, content);
  setTimeout(() => recentlySaved.delete(name), DOUBLE_CLICK_MS);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
