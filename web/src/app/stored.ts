/** Local storage may be missing or full; the console works without it. */
export function readStored(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, value);
  } catch {
    // Private mode or a full quota: the value lasts as long as the page.
  }
}

export function readStoredJson<T>(key: string, isValid: (value: unknown) => value is T): T | undefined {
  const text = readStored(key);
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isValid(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
