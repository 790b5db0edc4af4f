/** As long as a double click takes, and who cannot tell whether the first one did anything. */
const ONE_WISH_MS = 1000;
/** Name → content. */
const underWay = new Map<string, string | Blob>();

/** Hands a text or what the server sent to the browser as a file; a second click, while it takes the first, asks for the same. */
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
