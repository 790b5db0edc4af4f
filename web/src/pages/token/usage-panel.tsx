import CloseIcon from '@mui/icons-material/Close';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Card } from '../../components/layout/card.js';
import { CopyButton } from '../../components/texts/copy-button.js';

const samples = (base: string): [id: 'curl' | 'openai' | 'anthropic', text: string][] => [
  [
    'curl',
    `curl ${base}/v1/chat/completions -H "Authorization: Bearer sk-..." -H "Content-Type: application/json" -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}'`,
  ],
  ['openai', `client = OpenAI(base_url="${base}/v1", api_key="sk-...")`],
  ['anthropic', `client = Anthropic(base_url="${base}", api_key="sk-...")`],
];

/** Shown after the first token: how an application uses it. The key is copied from the list. */
export function UsagePanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('token');
  const { server_address: server } = useAppSelector(selectStatus);
  const base = (server || window.location.origin).replace(/\/+$/, '');
  return (
    <Card
      title={t('panel.title')}
      sx={{ mb: 1, flexShrink: 0 }}
      action={
        <IconButton size="small" aria-label={t('action.close')} onClick={onClose}>
          <CloseIcon sx={{ fontSize: 18 }} />
        </IconButton>
      }
    >
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1 }}>
        {t('panel.body')}
      </Typography>
      {samples(base).map(([id, text]) => (
        <Box key={id} sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <Typography variant="caption" sx={{ width: { xs: 64, sm: 96 }, flexShrink: 0, color: 'text.tertiary' }}>
            {t(`panel.${id}`)}
          </Typography>
          <Box
            component="code"
            tabIndex={0}
            sx={{ typography: 'mono', flex: 1, minWidth: 0, overflowX: 'auto', whiteSpace: 'nowrap' }}
          >
            {text}
          </Box>
          <CopyButton text={text} />
        </Box>
      ))}
    </Card>
  );
}
