import ClearIcon from '@mui/icons-material/DeleteSweepOutlined';
import TuneIcon from '@mui/icons-material/Tune';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { selectRole } from '../../app/slices/session.js';
import { ErrorState } from '../../components/feedback/states.js';
import { selectStatus } from '../../app/slices/status.js';
import { useGetSelfQuery } from '../../api/self.api.js';
import { useAppSelector } from '../../app/store.js';
import { Callout } from '../../components/feedback/callout.js';
import { CopyButton } from '../../components/texts/copy-button.js';
import { useMedia } from '../../components/basics/use-media.js';
import { Composer } from './composer.js';
import type { Parameters } from './conversation.js';
import { curlOf, defaultParameters, hasBadMaxTokens } from './conversation.js';
import { useKeptParameters } from './kept-parameters.js';
import { kindOf } from './model-kind.js';
import { MessageList } from './message-list.js';
import { ParameterPanel } from './parameter-panel.js';
import type { Choices } from './use-choices.js';
import { useChoices } from './use-choices.js';
import { useConversation } from './use-conversation.js';
import { DirtyGuard } from '../../components/overlays/dirty-guard.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const ParameterSheet = lazyPart(async () => (await import('./parameter-sheet.js')).ParameterSheet);

const paper = {
  bgcolor: 'background.paper',
  border: '1px solid',
  borderColor: 'border.subtle',
  borderRadius: '8px',
  minWidth: 0,
} as const;

/**
 * The conversation has its own scrollbar, so that it can follow the answer; in a low window it is as high as the
 * window.
 */
const conversationBox = {
  flex: 1,
  display: 'flex',
  flexDirection: 'column',
  overflow: 'hidden',
  '@media (max-height: 699.9px)': { minHeight: 280 },
  '@media (min-width: 601px) and (max-height: 699.9px), (max-height: 479.9px)': { maxHeight: 'calc(100dvh - 148px)' },
} as const;

/** Why nothing can be sent, with a link to the page where that is fixed. */
function Hindrances({ choices }: { choices: Choices }) {
  const { t } = useTranslation('playground');
  const expired = useSearchParams()[0].has('expired');
  const admin = useAppSelector(selectRole) >= 10;
  const { data: self } = useGetSelfQuery();
  const way = (to: string, label: string): ReactNode => (
    <Button component={Link} to={to} size="small" sx={{ minHeight: 24, py: 0 }}>
      {label}
    </Button>
  );
  const empty = choices.loaded && choices.models.length === 0;
  const broke = self !== undefined && self.quota <= 0;
  return (
    <>
      {expired && <Callout severity="warning">{t('expired')}</Callout>}
      {choices.error !== undefined && <ErrorState error={choices.error} retry={choices.retry} />}
      {empty && (
        <Callout severity="warning" action={admin && way('/channel/add', t('addChannel'))}>
          {t(admin ? 'noModelsAdmin' : 'noModelsUser')}
        </Callout>
      )}
      {broke && (
        <Callout severity="warning" action={way('/topup', t('topUp'))}>
          {t('noBalance')}
        </Callout>
      )}
    </>
  );
}

interface HeadProps {
  parameters: Parameters;
  curl: string;
  onClear: () => void;
  onParameters: () => void;
}

/** The header in a narrow window: the model is the button that opens the parameters, everything else is small. */
function NarrowHead({ parameters, curl, onClear, onParameters }: HeadProps) {
  const { t } = useTranslation('playground');
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
      <Typography variant="h5" component="h1" tabIndex={-1}>
        {t('title')}
      </Typography>
      <Button
        variant="outlined"
        startIcon={<TuneIcon />}
        onClick={onParameters}
        aria-label={`${t('parameters')}: ${parameters.model}`}
        title={parameters.model}
        sx={{ ml: 'auto', minWidth: 0 }}
      >
        <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
          {parameters.model || t('parameters')}
        </Box>
      </Button>
      <CopyButton text={curl} label={t('copyCurl')} />
      <IconButton aria-label={t('clear')} title={t('clear')} onClick={onClear}>
        <ClearIcon />
      </IconButton>
    </Box>
  );
}

function WideHead({ parameters, curl, onClear }: HeadProps) {
  const { t } = useTranslation('playground');
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
      <Typography variant="h5" component="h1" tabIndex={-1}>
        {t('title')}
      </Typography>
      <Typography
        variant="body2"
        noWrap
        title={parameters.model}
        sx={{ color: 'text.secondary', flex: 1, minWidth: 0 }}
      >
        {parameters.model}
      </Typography>
      <CopyButton text={curl} label={t('copyCurl')} labelled />
      <Button variant="outlined" startIcon={<ClearIcon />} onClick={onClear} sx={{ flexShrink: 0 }}>
        {t('clear')}
      </Button>
    </Box>
  );
}

/** Why nothing can be sent: the panel holds something that is no request, and may be out of sight. */
function useBlocked(parameters: Parameters, { loaded, models }: Choices): string | undefined {
  const { t } = useTranslation('playground');
  if (loaded && !models.includes(parameters.model)) return t('chooseModel');
  return hasBadMaxTokens(parameters) ? t('fixMaxTokens') : undefined;
}

/** A chat page to try a model: whether it answers through the user's account, how fast, and at what cost. */
export function PlaygroundPage() {
  const { t } = useTranslation('playground');
  const narrow = useMedia('(max-width: 959.9px)');
  const [parameters, setParameters] = useState(defaultParameters);
  const [sheet, setSheet] = useState(false);
  const { server_address: server } = useAppSelector(selectStatus);
  const change = (part: Partial<Parameters>) => setParameters((now) => ({ ...now, ...part }));
  const { choose, replace } = useKeptParameters(change);
  const choices = useChoices(parameters, replace);
  const blocked = useBlocked(parameters, choices);
  const conversation = useConversation(parameters, blocked);
  const { messages, busy, send, stop, clear } = conversation;
  const panel = <ParameterPanel value={parameters} onChange={choose} choices={choices} />;
  const Head = narrow ? NarrowHead : WideHead;
  return (
    <Stack spacing={1.5} sx={{ flex: 1, minHeight: 0 }} data-fill="phone">
      <Head
        parameters={parameters}
        curl={curlOf(server || window.location.origin, messages, parameters)}
        onClear={clear}
        onParameters={() => setSheet(true)}
      />
      {/* A typed system prompt is stored nowhere else. */}
      <DirtyGuard dirty={parameters.system !== defaultParameters.system} samePage />
      {/* The running answer is paid for and stored nowhere else. */}
      <DirtyGuard dirty={busy} samePage />
      <Hindrances choices={choices} />
      <Box sx={{ flex: 1, minHeight: 0, display: 'flex', gap: 2 }}>
        {!narrow && (
          <Box
            component="aside"
            aria-label={t('parameters')}
            sx={{ ...paper, width: 264, flexShrink: 0, p: 2, pt: 2.5, overflowY: 'auto' }}
          >
            {panel}
          </Box>
        )}
        <Box sx={{ ...paper, ...conversationBox }}>
          <MessageList conversation={conversation} />
          <Composer busy={busy} blocked={blocked} kind={kindOf(parameters.model)} onSend={send} onStop={stop} />
        </Box>
      </Box>
      {narrow && sheet && (
        <Suspense fallback={null}>
          <ParameterSheet onClose={() => setSheet(false)}>{panel}</ParameterSheet>
        </Suspense>
      )}
    </Stack>
  );
}
