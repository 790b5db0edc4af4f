import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DeniableButton } from '../feedback/deniable-button.js';
import { useSay } from '../../app/i18n/text-keys.js';
import { faultText } from './fault-text.js';
import type { FieldProps } from '../forms/field.js';
import { Field } from '../forms/field.js';
import type { JsonFault, JsonShape } from './json-text.js';
import { jsonFault, layOut, offsetOf } from './json-text.js';
import { useConfirm } from '../overlays/use-confirm.js';

type OwnField = 'value' | 'onChange' | 'multiline' | 'mono' | 'inputRef' | 'disabled';

interface JsonEditorProps extends Omit<FieldProps, OwnField> {
  value: string;
  onText: (text: string) => void;
  /** Text that a button inserts. */
  template?: string;
  shape?: JsonShape;
  inputRef?: (field: HTMLTextAreaElement | null) => void;
}

const LINE_PX = 20;
/** Between four and twelve lines high, then it scrolls. Lines do not wrap, so that each one has one number. */
const block = {
  '&& textarea': {
    minHeight: 4 * LINE_PX + 14,
    maxHeight: 12 * LINE_PX + 14,
    lineHeight: `${LINE_PX}px`,
    whiteSpace: 'pre',
    overflow: 'auto',
    paddingLeft: '8px',
  },
} as const;
const gutter = {
  alignSelf: 'stretch',
  position: 'relative',
  flexShrink: 0,
  overflow: 'hidden',
  bgcolor: 'background.sunken',
  borderRadius: '6px 0 0 6px',
  '& pre': {
    position: 'absolute',
    inset: '0 0 auto 0',
    m: 0,
    py: '7px',
    pr: 1,
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    fontSize: '0.8125rem',
    lineHeight: `${LINE_PX}px`,
    textAlign: 'right',
    color: 'text.tertiary',
  },
  '& mark': { display: 'block', mr: -1, pr: 1, color: 'error.main', bgcolor: 'error.soft', fontWeight: 600 },
} as const;
const small = { minHeight: 24, px: 1, py: 0 } as const;

const numbers = (from: number, to: number): string =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => `${from + at}\n`).join('');

/** Number of rendered line numbers: the visible ones and one more at each end. */
const SHOWN = 15;

/** Numbers of the visible lines only, because a text may have ten thousand. The line where the text stops being JSON is marked. */
function Lines({ count, marked, top }: { count: number; marked?: number; top: number }) {
  const first = Math.max(1, Math.min(Math.floor(top / LINE_PX), count - SHOWN + 1));
  const last = Math.min(count, first + SHOWN - 1);
  const at = marked !== undefined && marked >= first && marked <= last ? marked : undefined;
  return (
    <Box aria-hidden sx={{ ...gutter, width: `calc(${String(count).length}ch + 20px)` }}>
      <pre style={{ transform: `translateY(${(first - 1) * LINE_PX - top}px)` }}>
        {numbers(first, at === undefined ? last : at - 1)}
        {at !== undefined && <mark>{at}</mark>}
        {at !== undefined && numbers(at + 1, last)}
      </pre>
    </Box>
  );
}

/** Why a text cannot be formatted. */
function useUnfit(value: string, fault: JsonFault | undefined): string | undefined {
  const say = useSay();
  if (value.trim() === '') return say('json.nothing');
  return fault && faultText(say, fault);
}

function showFault(area: HTMLTextAreaElement, fault: JsonFault): void {
  const at = offsetOf(area.value, fault);
  area.focus();
  area.setSelectionRange(at, at + 1);
  area.scrollTop = (fault.line - 3) * LINE_PX;
}

/**
 * A JSON editor with line numbers and a button to format the text. Invalid text stays as typed; its line is marked, and a button moves the
 * cursor there.
 */
export function JsonEditor({ value, onText, template, shape = 'object', inputRef, ...props }: JsonEditorProps) {
  const { t } = useTranslation();
  const { confirm, dialog } = useConfirm();
  const area = useRef<HTMLTextAreaElement>(null);
  const [top, setTop] = useState(0);
  const fault = useMemo(() => jsonFault(value, shape), [value, shape]);
  const count = useMemo(() => value.split('\n').length, [value]);
  const shown = props.error ? fault : undefined;
  const unfit = useUnfit(value, fault);
  const goTo = () => fault && area.current && showFault(area.current, fault);
  const insert = () => {
    if (!template || value.trim() === '') return onText(template ?? '');
    confirm({
      title: t('json.replaceTitle'),
      consequences: [t('json.replaceBody')],
      confirm: { label: t('json.replace') },
      run: async () => onText(template),
    });
  };
  return (
    <div>
      <Box sx={block}>
        <Field
          {...props}
          inputRef={(field) => {
            area.current = field;
            inputRef?.(field);
          }}
          value={value}
          onChange={(event) => onText(event.target.value)}
          onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
          start={<Lines count={count} marked={shown?.line} top={top} />}
          multiline
          mono
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
        />
      </Box>
      <Stack direction="row" spacing={0.5} sx={{ mt: 0.5 }}>
        {shown && (
          <Button size="small" color="error" sx={small} onClick={goTo}>
            {t('json.goTo', { line: shown.line })}
          </Button>
        )}
        {template && (
          <DeniableButton size="small" sx={small} denied={props.denied} onClick={insert}>
            {t('json.template')}
          </DeniableButton>
        )}
        <DeniableButton size="small" sx={small} denied={props.denied ?? unfit} onClick={() => onText(layOut(value))}>
          {t('json.format')}
        </DeniableButton>
      </Stack>
      {dialog}
    </div>
  );
}
