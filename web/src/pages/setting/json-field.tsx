import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useTranslation } from 'react-i18next';
import type { FieldProps } from '../../components/field.js';
import { Field } from '../../components/field.js';
import { jsonFault } from './option-problem.js';

interface JsonFieldProps extends Omit<FieldProps, 'value' | 'onChange'> {
  value: string;
  onText: (text: string) => void;
  /** Replaces the text on request. */
  template?: string;
}

/** Six to twelve lines; the rest scrolls. */
const block = { '&& textarea': { minHeight: 134, maxHeight: 254, whiteSpace: 'pre', overflow: 'auto' } } as const;
const pretty = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 2);

/** A JSON text: six to twelve lines, laid out again on request; what is invalid stays as it was typed. */
export function JsonField({ value, onText, template, ...props }: JsonFieldProps) {
  const { t } = useTranslation('setting');
  const valid = jsonFault(value) === undefined;
  return (
    <div>
      <Box sx={block}>
        <Field
          {...props}
          value={value}
          onChange={(event) => onText(event.target.value)}
          multiline
          mono
          spellCheck={false}
          autoCapitalize="none"
        />
      </Box>
      <Stack direction="row" spacing={0.5}>
        <Button size="small" disabled={!valid} onClick={() => onText(pretty(value))} sx={{ minHeight: 24, py: 0 }}>
          {t('json.format')}
        </Button>
        {template && (
          <Button size="small" onClick={() => onText(template)} sx={{ minHeight: 24, py: 0 }}>
            {t('json.template')}
          </Button>
        )}
      </Stack>
    </div>
  );
}
