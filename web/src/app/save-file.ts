/** Duration of a double click, and of the time in which a user cannot tell whether the first click had an effect. */
const ONE_WISH_MS = 1000;
/** Files that were saved within the last `ONE_WISH_MS`: name → content. */
const underWay = new Map<string, string | Blob>();

/** Downloads a text or a reply of the server as a file. A second call with the same name and content within `ONE_WISH_MS` does nothing. */
export function saveFile(name: string, content: string | Blob, type = ''): void {
  if (underWay.get(name) === content) return;
  underWay.set(name, content);
  setTimeout(() => underWay.delete(name), ONE_WISH_MS);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
