import Box from '@mui/material/Box';
import type { Approval } from '@tollgate/contracts/api/approval';
import { createContext, use, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApprovalFilter } from '../../api/approval.api.js';
import { framedWhenForced } from '../../components/basics/forced-colors.js';
import { visuallyHidden } from '../../components/basics/visually-hidden.js';
import type { ListState } from '../../components/tables/list-state.js';

/** The greatest id of the list when it was opened; requests with greater ids have arrived since. */
export const NewestContext = createContext(Infinity);

/** Known once the first page was shown: later pages also get requests that new ones displace from the page before. */
export function useNewest(rows: readonly Approval[] | undefined, { page, size, filter }: ListState<ApprovalFilter>) {
  const list = JSON.stringify([size, filter]);
  const [opened, setOpened] = useState<{ list: string; newest: number }>();
  const isOpened = opened?.list === list;
  if (!isOpened && page === 1 && rows) setOpened({ list, newest: Math.max(0, ...rows.map(({ id }) => id)) });
  return isOpened ? opened.newest : Infinity;
}

/** A dot at a request that has arrived since the list was opened. */
export function ArrivedMark({ id }: { id: number }) {
  const { t } = useTranslation('approval');
  if (id <= use(NewestContext)) return null;
  return (
    <Box
      component="span"
      role="img"
      aria-label={t('arrived')}
      title={t('arrived')}
      sx={{
        display: 'inline-block',
        width: 8,
        height: 8,
        mr: 0.5,
        borderRadius: '50%',
        bgcolor: 'primary.main',
        ...framedWhenForced,
      }}
    />
  );
}

/** Tells screen readers how many of the shown requests have arrived since the list was opened. */
export function ArrivedNews({ rows = [] }: { rows: readonly Approval[] | undefined }) {
  const { t } = useTranslation('approval');
  const newest = use(NewestContext);
  const count = rows.filter(({ id }) => id > newest).length;
  return (
    <Box role="status" sx={visuallyHidden}>
      {count > 0 && t('arrivedCount', { count })}
    </Box>
  );
}
