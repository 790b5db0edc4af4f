import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Status } from '@tollgate/contracts/api/status';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { DEFAULT_SYSTEM_NAME, selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Card } from '../../components/layout/card.js';
import { formatTime } from '../../components/basics/time-format.js';

function Facts({ rows }: { rows: [label: string, value: ReactNode][] }) {
  return (
    <Box
      component="dl"
      sx={{
        display: 'grid',
        gridTemplateColumns: 'max-content 1fr',
        columnGap: 2,
        rowGap: 1,
        m: 0,
        '& dd': { m: 0, overflowWrap: 'anywhere' },
      }}
    >
      {rows.map(([label, value]) => (
        <Box key={label} sx={{ display: 'contents' }}>
          <Typography component="dt" variant="body2" sx={{ color: 'text.secondary' }}>
            {label}
          </Typography>
          <Typography component="dd" variant="body2">
            {value}
          </Typography>
        </Box>
      ))}
    </Box>
  );
}

const flags = [
  'email_verification',
  'github_oauth',
  'oidc_enabled',
  'wechat_login',
  'turnstile_check',
  'telegram_oauth',
  'linuxdo_oauth',
] as const satisfies (keyof Status)[];

/** The state of the system; shown if the operator has written no home page. */
export function SystemCards() {
  const { t } = useTranslation('home');
  const id = useId();
  const status = useAppSelector(selectStatus);
  const { system_name: name, version = '', start_time: start = 0 } = status;
  return (
    <Box component="section" aria-labelledby={id}>
      <Typography variant="h6" component="h2" id={id} sx={{ mb: 1 }}>
        {t('system.title')}
      </Typography>
      <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' }, gap: 2 }}>
        <Card title={t('system.info')} heading="h3">
          <Facts
            rows={[
              [t('system.name'), name || DEFAULT_SYSTEM_NAME],
              [t('system.version'), version || '—'],
              [t('system.licence'), t('system.licenceName')],
              [t('system.started'), start ? formatTime(start) : '—'],
            ]}
          />
        </Card>
        <Card title={t('system.config')} heading="h3">
          <Facts rows={flags.map((flag) => [t(`flag.${flag}`), status[flag] ? t('on') : t('off')])} />
        </Card>
      </Box>
    </Box>
  );
}
