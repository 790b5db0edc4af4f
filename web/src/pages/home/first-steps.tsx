import DoneIcon from '@mui/icons-material/CheckCircleOutlined';
import OpenIcon from '@mui/icons-material/RadioButtonUnchecked';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { skipToken } from '@reduxjs/toolkit/query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { selectRole } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { useGetSelfQuery } from '../../api/self.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Card } from '../../components/layout/card.js';
import { CopyButton } from '../../components/texts/copy-button.js';
import {
  useCountChannelsQuery,
  useCreateDemonstrationMutation,
  useGetDemonstrationQuery,
} from '../../api/channel.api.js';
import { useHasTokensQuery } from '../../api/token.api.js';
import { curlSample } from './sample.js';

interface Step {
  id: 'channel' | 'price' | 'token' | 'request';
  /** `undefined` while it is unknown whether the step is done. */
  done: boolean | undefined;
  to: string;
}

function useSteps(): Step[] {
  const admin = useAppSelector(selectRole) >= 10;
  const { self_use_mode_enabled: selfUse } = useAppSelector(selectStatus);
  const { data: counts } = useCountChannelsQuery(admin ? undefined : skipToken);
  const { data: tokens } = useHasTokensQuery();
  const { data: self } = useGetSelfQuery();
  const called = self && self.request_count > 0;
  const steps: (Step | false)[] = [
    admin && { id: 'channel', done: counts && counts.all > 0, to: '/channel/add' },
    admin && !selfUse && { id: 'price', done: called || undefined, to: '/setting?tab=operation' },
    { id: 'token', done: tokens, to: '/token/add' },
    { id: 'request', done: called, to: '/playground' },
  ];
  return steps.filter((step) => step !== false);
}

/** Creates a demonstration channel, for people without a provider's key; shown only if this installation offers one. */
function DemonstrationButton() {
  const { t } = useTranslation('home');
  const dispatch = useAppDispatch();
  const { data } = useGetDemonstrationQuery();
  const [create, { isLoading }] = useCreateDemonstrationMutation();
  if (!data?.available) return null;
  const run = async () => {
    const reply = await create();
    if (!reply.error) dispatch(toastShown({ severity: 'success', key: 'home:demo.done' }));
  };
  return (
    <BusyButton variant="outlined" busy={isLoading} title={t('demo.why')} onClick={() => void run()}>
      {t('demo.action')}
    </BusyButton>
  );
}

function StepLine({ step, current }: { step: Step; current: boolean }) {
  const { t } = useTranslation('home');
  const Icon = step.done ? DoneIcon : OpenIcon;
  return (
    <Box
      component="li"
      aria-current={current ? 'step' : undefined}
      sx={{
        display: 'flex',
        gap: 1.5,
        alignItems: 'flex-start',
        flexWrap: 'wrap',
        py: 1.5,
        borderTop: '1px solid',
        borderColor: 'border.subtle',
      }}
    >
      <Icon
        sx={{ fontSize: 20, mt: 0.25, color: step.done ? 'success.main' : current ? 'primary.main' : 'text.tertiary' }}
      />
      <Box sx={{ flex: '1 1 240px', minWidth: 0 }}>
        <Typography sx={{ fontWeight: 600 }}>
          {t(`step.${step.id}.title`)}
          {step.done && (
            <Typography component="span" variant="caption" sx={{ color: 'success.main', ml: 1 }}>
              {t('step.done')}
            </Typography>
          )}
        </Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t(`step.${step.id}.why`)}
        </Typography>
      </Box>
      {!step.done && (
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
          {step.id === 'channel' && <DemonstrationButton />}
          <Button component={Link} to={step.to} variant={current ? 'contained' : 'outlined'}>
            {t(`step.${step.id}.action`)}
          </Button>
        </Box>
      )}
    </Box>
  );
}

function SampleRequest() {
  const { t } = useTranslation('home');
  const { server_address: server } = useAppSelector(selectStatus);
  const sample = curlSample(server || window.location.origin);
  return (
    <Box sx={{ bgcolor: 'background.sunken', borderRadius: '6px', p: 1.5, mt: 1 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', mb: 0.5 }}>
        <Typography variant="caption" sx={{ color: 'text.secondary', flex: 1 }}>
          {t('sample')}
        </Typography>
        <CopyButton text={sample} />
      </Box>
      <Box component="pre" tabIndex={0} sx={{ m: 0, overflowX: 'auto', typography: 'mono' }}>
        {sample}
      </Box>
    </Box>
  );
}

/** The steps from an empty system to the first charged request. */
export function FirstSteps() {
  const { t } = useTranslation('home');
  const steps = useSteps();
  const current = steps.find(({ done }) => done === false);
  // A step with unknown state is not offered as the next one.
  if (!current) return null;
  return (
    <Card title={t('steps')}>
      <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {steps.map((step) => (
          <StepLine key={step.id} step={step} current={step === current} />
        ))}
      </Box>
      <SampleRequest />
    </Card>
  );
}
