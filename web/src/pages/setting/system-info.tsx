import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { CheckUpdate } from './check-update.js';
import { TimeText } from '../../components/texts/time-text.js';

/** The version of the running program and its start time. */
export function SystemInfo() {
  const { t } = useTranslation('setting');
  const { version = '', start_time: start = 0 } = useAppSelector(selectStatus);
  return (
    <Box
      component="dl"
      sx={{ display: 'grid', gridTemplateColumns: 'max-content 1fr', columnGap: 2, rowGap: 1, m: 0, '& dd': { m: 0 } }}
    >
      <Typography component="dt" variant="body2" sx={{ color: 'text.secondary' }}>
        {t('info.version')}
      </Typography>
      <Typography component="dd" variant="body2">
        {version || '\u2014'}
      </Typography>
      <Typography component="dt" variant="body2" sx={{ color: 'text.secondary' }}>
        {t('info.started')}
      </Typography>
      <Typography component="dd" variant="body2">
        {start > 0 ? <TimeText at={start} /> : '\u2014'}
      </Typography>
      <Box component="dd" sx={{ gridColumn: '1 / -1' }}>
        <CheckUpdate />
      </Box>
    </Box>
  );
}
