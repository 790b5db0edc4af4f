import { isRoot } from '@tollgate/contracts/roles';
import { useEffect, useState } from 'react';
import { currentLanguage } from '../../app/i18n/index.js';
import type { Entry } from './entries.js';

type Labels = Record<string, string>;

async function load(): Promise<Entry[]> {
  const [fields, zh, en] = await Promise.all([
    import('../../pages/setting/setting-fields.js'),
    import('../../pages/setting/zh.js'),
    import('../../pages/setting/en.js'),
  ]);
  const own = currentLanguage() === 'en' ? en.texts : zh.texts;
  const keys = [
    ...fields.settingTabs.flatMap(({ sections }) => sections.flatMap((section) => section.fields)),
    ...fields.ratioFields,
  ].map(({ key }) => key);
  return keys.flatMap((key): Entry[] => {
    const place = fields.placeOf(key);
    if (!place) return [];
    const label = (texts: { label: object }): string => (texts.label as Labels)[fields.textKey(key)] ?? key;
    return [
      {
        id: `setting:${key}`,
        group: 'setting',
        name: label(own),
        note: (own.tab as Labels)[place.tab] ?? place.tab,
        // Who knows an option by its name in the other language finds it too.
        words: `${label(zh.texts)} ${label(en.texts)} ${key}`.toLowerCase(),
        to: `/setting?tab=${place.tab}&key=${key}`,
      },
    ];
  });
}

/** Every option of the settings page, for who may read them; loaded when the palette is opened. */
export function useSettingEntries(role: number): Entry[] {
  const [entries, setEntries] = useState<Entry[]>([]);
  useEffect(() => {
    if (isRoot(role)) void load().then(setEntries, () => undefined);
  }, [role]);
  return entries;
}
