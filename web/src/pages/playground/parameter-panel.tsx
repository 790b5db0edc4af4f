import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Slider from '@mui/material/Slider';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { Field, FieldShell } from '../../components/forms/field.js';
import { NativeField } from '../../components/forms/native-field.js';
import type { Parameters } from './conversation.js';
import { hasBadMaxTokens } from './conversation.js';
import { kindOf } from './model-kind.js';
import type { Choices } from './use-choices.js';

interface PanelProps {
  value: Parameters;
  onChange: (change: Partial<Parameters>) => void;
  choices: Choices;
}

function TemperatureField({ value, onChange }: Omit<PanelProps, 'choices'>) {
  const { t } = useTranslation('playground');
  const { temperature } = value;
  return (
    <div>
      <Box sx={{ display: 'flex', alignItems: 'center', minHeight: 24 }}>
        <Typography variant="body2" id="temperature-label" sx={{ color: 'text.secondary', flex: 1 }}>
          Temperature
        </Typography>
        {temperature !== 0 && (
          <Button size="small" onClick={() => onChange({ temperature: 0 })} sx={{ minHeight: 24, py: 0 }}>
            {t('byDefault')}
          </Button>
        )}
        <Typography variant="body2" sx={{ fontWeight: 600, ml: 1 }}>
          {temperature === 0 ? t('temperatureDefault') : temperature.toFixed(1)}
        </Typography>
      </Box>
      <Box sx={{ px: 1 }}>
        <Slider
          size="small"
          aria-labelledby="temperature-label"
          min={0.1}
          max={1}
          step={0.1}
          value={Math.max(0.1, temperature)}
          getAriaValueText={() => (temperature === 0 ? t('temperatureDefault') : temperature.toFixed(1))}
          onChange={(_, next) => onChange({ temperature: Math.round((next as number) * 10) / 10 })}
          sx={{ opacity: temperature === 0 ? 0.5 : 1 }}
        />
      </Box>
    </div>
  );
}

function MaxTokensField({ value, onChange }: Omit<PanelProps, 'choices'>) {
  const { t } = useTranslation('playground');
  const bad = hasBadMaxTokens(value);
  return (
    <Field
      label="MaxTokens"
      value={value.maxTokens}
      inputMode="numeric"
      error={bad}
      helperText={bad ? t('fixMaxTokens') : t('maxTokensHint')}
      onChange={(event) => onChange({ maxTokens: event.target.value })}
    />
  );
}

const SIZES = ['256x256', '512x512', '1024x1024', '1024x1536', '1536x1024', '1024x1792', '1792x1024'];

/** The parameters for this kind of model. */
function KindFields({ value, onChange }: Omit<PanelProps, 'choices'>) {
  const { t } = useTranslation('playground');
  const kind = kindOf(value.model);
  if (kind === 'words') return null;
  if (kind === 'speech')
    return (
      <Field label={t('voice')} value={value.voice} onChange={({ target }) => onChange({ voice: target.value })} />
    );
  if (kind === 'picture')
    return (
      <NativeField
        label={t('size')}
        value={value.size}
        onChange={(size) => onChange({ size })}
        options={[{ value: '', label: t('ownSize') }, ...SIZES.map((size) => ({ value: size, label: size }))]}
      />
    );
  return (
    <>
      <TemperatureField value={value} onChange={onChange} />
      <MaxTokensField value={value} onChange={onChange} />
      <Field
        label="System"
        value={value.system}
        onChange={(event) => onChange({ system: event.target.value })}
        multiline
        spellCheck={false}
      />
    </>
  );
}

/** Its arrow stands below the arrow of the group. */
const modelControl = {
  display: 'flex',
  flex: 1,
  minWidth: 0,
  '& .MuiAutocomplete-endAdornment': { right: '3px' },
} as const;

/** A model out of a list that may be long. MUI's own text field would load its lists and dialogs with the page. */
function ModelField({ value, onChange, choices: { models } }: PanelProps) {
  const { t } = useTranslation('playground');
  const known = models.includes(value.model);
  const wrong = !known && models.length > 0;
  return (
    <Autocomplete
      options={models}
      value={known ? value.model : null}
      onChange={(_, model) => model !== null && onChange({ model })}
      disableClearable={known}
      noOptionsText={t('noModels')}
      renderInput={({ id, slotProps: { input, htmlInput } }) => (
        <FieldShell id={id} label={t('model')} error={wrong} helperText={wrong && t('chooseModel')}>
          <Box ref={input.ref} className={input.className} onMouseDown={input.onMouseDown} sx={modelControl}>
            <input
              {...htmlInput}
              aria-invalid={wrong || undefined}
              aria-describedby={wrong ? `${id}-help` : undefined}
            />
            {input.endAdornment}
          </Box>
        </FieldShell>
      )}
    />
  );
}

/** The parameters of the next request. Only what is shown here is sent. */
export function ParameterPanel({ value, onChange, choices }: PanelProps) {
  const { t } = useTranslation('playground');
  return (
    <Stack spacing={2.5} sx={{ '&& textarea': { minHeight: 96, maxHeight: 240 } }}>
      <NativeField
        label={t('group')}
        value={value.group}
        onChange={(group) => onChange({ group })}
        options={choices.groups}
      />
      <ModelField value={value} onChange={onChange} choices={choices} />
      <KindFields value={value} onChange={onChange} />
    </Stack>
  );
}
