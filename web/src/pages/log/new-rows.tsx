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
  /** `askedAt`: when the shown page was asked for; what was heard later it may not know. */
  shown: { total?: number; askedAt?: number };
  onShow: () => void;
}

/** How many rows came since the page was asked for; they move nothing until somebody wants them. */
export function NewRows({ all, query, shown, onShow }: NewRowsProps) {
  const { t } = useTranslation('log');
  const heardAt = useAppSelector((state) => selectHeardAt(state, 'usage'));
  const isOld = shown.askedAt !== undefined && heardAt > shown.askedAt;
  const { currentData: total, startedTimeStamp: countedAt = 0 } = useCountLogsQuery(
    isOld ? { all, query, askedAt: heardAt } : skipToken,
  );
  // A count that was asked for before the rows is older than they are.
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
