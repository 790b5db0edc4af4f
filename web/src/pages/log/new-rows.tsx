import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { skipToken } from '@reduxjs/toolkit/query';
import { useTranslation } from 'react-i18next';
import { selectHeardAt } from '../../app/slices/live.js';
import { useAppSelector } from '../../app/store.js';
import type { LogCount, LogQuery } from '../../api/log.api.js';
import { useCountLogsQuery } from '../../api/log.api.js';

interface ShownRows extends Partial<LogCount> {
  /** When the shown page was requested; it may not include rows announced after that. */
  askedAt?: number;
}

interface NewRowsProps {
  all: boolean;
  query: LogQuery;
  shown: ShownRows;
  onShow: () => void;
}

/** How many rows are new; `undefined` if there are some, but estimates do not tell how many. */
function newsOf(now: LogCount, shown: ShownRows): number | undefined {
  if (shown.total === undefined) return 0;
  if (!now.inexact && !shown.inexact) return now.total - shown.total;
  if (!now.newest || !shown.newest) return 0;
  const isNewer = now.newest.id !== shown.newest.id && now.newest.created_at >= shown.newest.created_at;
  return isNewer ? undefined : 0;
}

/** What was shown, with the newest of all rows: behind the first page the rows do not include it, and two estimates do not tell news. */
function useShown({ all, query, shown }: Omit<NewRowsProps, 'onShow'>): ShownRows {
  const isUnknown = shown.inexact !== undefined && !shown.newest;
  const { currentData } = useCountLogsQuery(isUnknown ? { all, query, askedAt: shown.askedAt } : skipToken);
  return isUnknown ? { ...shown, newest: currentData?.newest } : shown;
}

/** Offers the rows that arrived since the page was requested. The list does not change until the reader accepts. */
export function NewRows({ onShow, ...props }: NewRowsProps) {
  const { t } = useTranslation('log');
  const { all, query } = props;
  const shown = useShown(props);
  const heardAt = useAppSelector((state) => selectHeardAt(state, 'usage'));
  const isOld = shown.askedAt !== undefined && heardAt > shown.askedAt;
  const { currentData: now, startedTimeStamp: countedAt = 0 } = useCountLogsQuery(
    isOld ? { all, query, askedAt: heardAt } : skipToken,
  );
  // A count requested before the shown page is outdated.
  const isNews = isOld && countedAt > (shown.askedAt ?? 0);
  const count = isNews && now ? newsOf(now, shown) : 0;
  return (
    <Box role="status">
      {(count === undefined || count > 0) && (
        <Button data-news variant="outlined" onClick={onShow} sx={{ borderRadius: 4, whiteSpace: 'nowrap' }}>
          {count === undefined ? t('newer') : t('newRows', { count })}
        </Button>
      )}
    </Box>
  );
}
