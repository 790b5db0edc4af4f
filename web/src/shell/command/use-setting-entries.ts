import { isAdmin } from '@tollgate/contracts/roles';
import { useEffect, useState } from 'react';
import type { Entry } from './entries.js';

async function load(): Promise<Entry[]> {
  const { loadSettingEntries } = await import('../../pages/setting/setting-entries.js');
  const entries = await loadSettingEntries();
  return entries.map(({ key, name, tab, words, to }) => ({
    id: `setting:${key}`,
    group: 'setting',
    name,
    note: tab,
    words,
    to,
  }));
}

/** Every option of the settings page, for users who may read them; loaded when the palette is opened. */
export function useSettingEntries(role: number): Entry[] {
  const [entries, setEntries] = useState<Entry[]>([]);
  useEffect(() => {
    if (isAdmin(role)) void load().then(setEntries, () => undefined);
  }, [role]);
  return entries;
}
