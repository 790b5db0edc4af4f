import HelpIcon from '@mui/icons-material/HelpOutlined';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Radio from '@mui/material/Radio';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UsageMode } from './setup-form.js';
import { usageModes } from './setup-form.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const ModeHelp = lazyPart(async () => (await import('./mode-help.js')).ModeHelp);

interface ModeCardsProps {
  value: UsageMode;
  onChange: (mode: UsageMode) => void;
}

function ModeCard({
  mode,
  checked,
  onChange,
}: {
  mode: UsageMode;
  checked: boolean;
  onChange: (mode: UsageMode) => void;
}) {
  const { t } = useTranslation('setup');
  return (
    <Box
      component="label"
      sx={{
        display: 'flex',
        gap: 1,
        p: 1.5,
        cursor: 'pointer',
        border: '1px solid',
        borderColor: checked ? 'primary.main' : 'border.subtle',
        bgcolor: checked ? 'primary.soft' : 'background.paper',
        borderRadius: '8px',
        '&:has(:focus-visible)': { outline: '2px solid', outlineColor: 'focus', outlineOffset: 2 },
      }}
    >
      <Radio
        name="usageMode"
        value={mode}
        checked={checked}
        onChange={() => onChange(mode)}
        slotProps={{ input: { 'aria-describedby': `mode-${mode}` } }}
        sx={{ p: 0, alignSelf: 'flex-start' }}
      />
      <div>
        <Typography sx={{ fontWeight: 600 }}>{t(`mode.${mode}.name`)}</Typography>
        <Typography variant="body2" id={`mode-${mode}`} sx={{ color: 'text.secondary' }}>
          {t(`mode.${mode}.consequence`)}
        </Typography>
      </div>
    </Box>
  );
}

/** The three usage modes as cards, each with its consequence in one line. */
export function ModeCards({ value, onChange }: ModeCardsProps) {
  const { t } = useTranslation('setup');
  const [help, setHelp] = useState(false);
  return (
    <Box component="fieldset" sx={{ border: 0, p: 0, m: 0, minWidth: 0 }}>
      <Box
        component="legend"
        sx={{ display: 'flex', alignItems: 'center', gap: 0.5, p: 0, mb: 1, typography: 'subtitle2' }}
      >
        {t('mode.label')}
        <IconButton size="small" aria-label={t('mode.help')} title={t('mode.help')} onClick={() => setHelp(true)}>
          <HelpIcon sx={{ fontSize: 18 }} />
        </IconButton>
        <Typography component="span" variant="caption" sx={{ color: 'text.tertiary' }}>
          {t('mode.hint')}
        </Typography>
      </Box>
      <Stack spacing={1}>
        {usageModes.map((mode) => (
          <ModeCard key={mode} mode={mode} checked={mode === value} onChange={onChange} />
        ))}
      </Stack>
      {help && (
        <Suspense fallback={null}>
          <ModeHelp onClose={() => setHelp(false)} />
        </Suspense>
      )}
    </Box>
  );
}
