import { postingCodes } from '@tollgate/contracts/api/posting-codes';
import { useTranslation } from 'react-i18next';
import type { JournalFilter } from '../../api/journal.api.js';
import { csvName, downloadFile } from '../../app/download.js';
import { useAppDispatch } from '../../app/store.js';
import { useOneAtATime } from '../basics/use-one-at-a-time.js';

/** Posting codes as filter options. */
export function usePostingCodes(): { value: string; label: string }[] {
  const { t } = useTranslation();
  return [
    { value: '', label: t('posting.all') },
    ...postingCodes.map((value) => ({ value, label: t(`posting.codes.${value}`) })),
  ];
}

/** Exports all matching postings as a file. */
export function useJournalExport(filter: JournalFilter) {
  const dispatch = useAppDispatch();
  return useOneAtATime(() => dispatch(downloadFile('api/journal/export', filter, csvName('journal'))));
}
