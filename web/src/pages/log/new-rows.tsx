import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { skipToken } from '@reduxjs/toolkit/query';
import { useTranslation } from 'react-i18next';
import { selectHeardAt } from '../../app/slices/live.js';
import { useAppSelector } from '../../app/store.js';
import type { LogQuery } from '../../api/log.api.js';
import { useCountLogsQuery } from '../../api/log.api.js';

interface NewRowsProps {
  all: boolean;
  query: LogQuery;
  /** `askedAt`: when the shown page was requested; it may not include rows announced after that. */
  shown: { total?: number; askedAt?: number };
  onShow: () => void;
}

/** Offers the rows that arrived since the page was requested. The list does not change until the reader accepts. */
export function NewRows({ all, query, shown, onShow }: NewRowsProps) {
  const { t } = useTranslation('log');
  const heardAt = useAppSelector((state) => selectHeardAt(state, 'usage'));
  const isOld = shown.askedAt !== undefined && heardAt > shown.askedAt;
  const { currentData: total, startedTimeStamp: countedAt = 0 } = useCountLogsQuery(
    isOld ? { all, query, askedAt: heardAt } : skipToken,
  );
  // A count requested before the shown page is outdated.
  const isNews = isOld && countedAt > (shown.askedAt ?? 0);
  const count = isNews && total !== undefined && shown.total !== undefined ? total - shown.total : 0;
  return (
    <Box role="status">
      {count > 0 && (
        <Button data-news variant="outlined" onClick={onShow} sx={{ borderRadius: 4, whiteSpace: 'nowrap' }}>
          {t('newRows', { count })}
        </Button>
      )}
    </Box>
  );
}
