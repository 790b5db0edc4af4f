export type Language = 'zh' | 'en';

/** What a browser asks for; undefined when it names neither. The first that we speak wins. */
export function languageOf(accepted: string | undefined): Language | undefined {
  for (const part of (accepted ?? '').slice(0, 500).split(',')) {
    const tag = part.trim().toLowerCase();
    if (tag.startsWith('zh')) return 'zh';
    if (tag.startsWith('en')) return 'en';
  }
  return undefined;
}
