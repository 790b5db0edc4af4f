import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { skipToken } from '@reduxjs/toolkit/query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { selectHeardAt } from '../../app/slices/live.js';
import { useAppSelector } from '../../app/store.js';
import type { LogQuery } from '../../api/log.api.js';
import { useCountLogsQuery } from '../../api/log.api.js';

/** To count is work for the server, and nobody reads a number that changes all the time. */
const PAUSE_MS = 5000;

/** When rows were last heard of, taken note of at once after a pause and then now and then. */
function useHeardAt(): number {
  const heardAt = useAppSelector((state) => selectHeardAt(state, 'usage'));
  const [noted, setNoted] = useState(0);
  useEffect(() => {
    if (heardAt === noted) return;
    const timer = setTimeout(() => setNoted(heardAt), Math.max(0, noted + PAUSE_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [heardAt, noted]);
  return noted;
}

interface NewRowsProps {
  all: boolean;
  query: LogQuery;
  shown: { total?: number; at?: number };
  onShow: () => void;
}

/** How many rows came since the page was asked for; they move nothing until somebody wants them. */
export function NewRows({ all, query, shown, onShow }: NewRowsProps) {
  const { t } = useTranslation('log');
  const heardAt = useHeardAt();
  const isOld = shown.at !== undefined && heardAt > shown.at;
  const { data: total } = useCountLogsQuery(isOld ? { all, query, askedAt: heardAt } : skipToken);
  const count = isOld && total !== undefined && shown.total !== undefined ? total - shown.total : 0;
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
