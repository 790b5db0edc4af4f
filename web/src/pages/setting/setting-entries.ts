import type { OptionKey } from '@tollgate/contracts/options/index';
import { currentLanguage } from '../../app/i18n/index.js';
import { placeOf, ratioFields, settingTabs, textKey } from './setting-fields.js';

/** An option as the command palette and the search of the page find it. */
export interface SettingEntry {
  key: OptionKey;
  /** Its label, in the reader's language. */
  name: string;
  /** The title of its tab. */
  tab: string;
  /** The label in both languages and the key, in lower case, so that an option is found by either name. */
  words: string;
  to: string;
}

type Labels = Record<string, string>;

/** All options in the order of the page, with labels in both languages; loaded when a search begins. */
export async function loadSettingEntries(): Promise<SettingEntry[]> {
  const [zh, en] = (await Promise.all([import('./zh.js'), import('./en.js')])).map(({ texts }) => texts);
  const own = currentLanguage() === 'en' ? en : zh;
  const fields = [...settingTabs.flatMap(({ cards }) => cards.flatMap((card) => card.fields)), ...ratioFields];
  return fields.flatMap(({ key }): SettingEntry[] => {
    const place = placeOf(key);
    if (!place || !own || !zh || !en) return [];
    const label = (texts: { label: object }): string => (texts.label as Labels)[textKey(key)] ?? key;
    return [
      {
        key,
        name: label(own),
        tab: (own.tab as Labels)[place.tab] ?? place.tab,
        words: `${label(zh)} ${label(en)} ${key}`.toLowerCase(),
        to: `/setting?tab=${place.tab}&key=${key}`,
      },
    ];
  });
}
