import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ChannelHealth } from '@tollgate/contracts/api/channel-health';
import { ChannelStatus } from '@tollgate/contracts/roles';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useGetChannelHealthQuery } from '../../../api/channel-health.api.js';
import { Placeholder } from '../../../components/feedback/busy.js';
import { Callout } from '../../../components/feedback/callout.js';
import { DrawerFrame } from '../../../components/overlays/drawer-frame.js';
import { ErrorState } from '../../../components/feedback/states.js';
import type { StatusKey } from '../../../components/texts/status-chip.js';
import { StatusChip } from '../../../components/texts/status-chip.js';
import { TimeText } from '../../../components/texts/time-text.js';
import { statusKeyOf } from '../channel-facts.js';
import { HealthCharts, periods } from './health-charts.js';
import { HealthSteps } from './health-steps.js';

interface HealthDrawerProps {
  id: number;
  onTest: (channel: { id: number; name: string }) => void;
  onWhy: (id: number) => void;
  onClose: () => void;
}

function stateOf({ status, status_reason: reason }: ChannelHealth): StatusKey {
  return status === ChannelStatus.enabled && reason !== '' ? 'suspect' : statusKeyOf(status);
}

function Now({ health }: { health: ChannelHealth }) {
  const { t } = useTranslation('channel');
  const { suspicion } = health;
  return (
    <Stack spacing={1}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <StatusChip status={stateOf(health)} />
        <Box sx={{ typography: 'body2', color: 'text.secondary' }}>
          {t('health.since')}
          <TimeText at={health.status_time} />
        </Box>
      </Box>
      {health.status_reason !== '' && (
        <Callout severity="warning" title={t('why.reason')}>
          {health.status_reason}
        </Callout>
      )}
      {suspicion && (
        <Callout severity="info" title={t('health.suspect')}>
          {suspicion.reason}
          <Box sx={{ color: 'text.secondary' }}>
            {t('health.suspectNext')}
            <TimeText at={suspicion.probe_at} />
          </Box>
        </Callout>
      )}
    </Stack>
  );
}

function Body({ id, onTest, onWhy }: Omit<HealthDrawerProps, 'onClose'>) {
  const { t } = useTranslation('channel');
  const [period, setPeriod] = useState<number>(periods[0]);
  const { data, error, refetch } = useGetChannelHealthQuery({ id, hours: period });
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Placeholder sx={{ height: 320 }} />;
  return (
    <Stack spacing={3}>
      <Now health={data} />
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <Button variant="outlined" onClick={() => onTest(data)}>
          {t('test.one')}
        </Button>
        <Button variant="outlined" onClick={() => onWhy(id)}>
          {t('health.why')}
        </Button>
        <Button component={Link} to={`/log?channel=${id}`}>
          {t('health.usage')}
        </Button>
      </Stack>
      <HealthCharts health={data} period={period} onPeriod={setPeriod} />
      <Box component="section">
        <Typography variant="subtitle1" component="h3" sx={{ mb: 1 }}>
          {t('health.timeline')}
        </Typography>
        <HealthSteps health={data} />
      </Box>
    </Stack>
  );
}

/** Explains the state of a channel: its requests, and every decision about it with the evidence. */
export function HealthDrawer({ onClose, ...props }: HealthDrawerProps) {
  const { t } = useTranslation('channel');
  const { data } = useGetChannelHealthQuery({ id: props.id, hours: periods[0] });
  return (
    <DrawerFrame title={t('health.title', { name: data?.name ?? `#${props.id}` })} onClose={onClose}>
      <Box sx={{ flex: 1, overflowY: 'auto', p: 2, minHeight: 0 }}>
        <Body {...props} />
      </Box>
    </DrawerFrame>
  );
}
