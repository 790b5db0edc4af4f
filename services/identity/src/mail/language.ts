export type Language = 'zh' | 'en';

/** The first supported language of an `Accept-Language` header; `undefined` when it names none. */
export function languageOf(accepted: string | undefined): Language | undefined {
  for (const part of (accepted ?? '').slice(0, 500).split(',')) {
    const tag = part.trim().toLowerCase();
    if (tag.startsWith('zh')) return 'zh';
    if (tag.startsWith('en')) return 'en';
  }
  return undefined;
}
