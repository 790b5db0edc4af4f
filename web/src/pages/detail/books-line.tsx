import { skipToken } from '@reduxjs/toolkit/query';
import Typography from '@mui/material/Typography';
import { isAdmin } from '@tollgate/contracts/roles';
import { Trans, useTranslation } from 'react-i18next';
import { useGetBooksStateQuery } from '../../api/books.api.js';
import { selectRole } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import { Callout } from '../../components/feedback/callout.js';
import { TimeText } from '../../components/texts/time-text.js';

const POLL_MS = 60_000;

/**
 * Shows administrators until when the books are proved to balance, or the faults that were found; renders nothing
 * before the first check.
 */
export function BooksLine() {
  const { t } = useTranslation('detail');
  const admin = isAdmin(useAppSelector(selectRole));
  const { data } = useGetBooksStateQuery(admin ? undefined : skipToken, {
    pollingInterval: POLL_MS,
    skipPollingIfUnfocused: true,
  });
  if (!data || data.checked_at === 0) return null;
  if (data.faults > 0)
    return (
      <Callout severity="error" title={t('books.faults', { count: data.faults })}>
        {data.first}
      </Callout>
    );
  return (
    <Typography variant="caption" color="text.secondary">
      <Trans t={t} i18nKey={'books.upTo'} components={{ time: <TimeText at={data.balanced_up_to} /> }} />
    </Typography>
  );
}
