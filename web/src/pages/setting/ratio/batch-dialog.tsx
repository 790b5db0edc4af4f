import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import type { SyntheticEvent } from 'react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { Field } from '../../../components/forms/field.js';
import { FormDialog } from '../../../components/overlays/form-dialog.js';
import { useKept } from '../../../components/forms/use-kept.js';
import type { RatioRow } from './ratio-rows.js';
import type { RatioProblem } from './ratio-rows.js';
import { rowProblems } from './ratio-rows.js';

export const fillModes = ['price', 'ratio', 'completion', 'both'] as const;
export type FillMode = (typeof fillModes)[number];
const keptSchema = z.object({ mode: z.enum(fillModes), first: z.string(), second: z.string() });

type FillProblem = RatioProblem | `batch.${'number' | 'both' | 'missing'}`;

/** The fields that a mode changes in a row (a price excludes both ratios), or the key of the problem with the typed values. */
export function fillOf(mode: FillMode, first: string, second: string): Partial<RatioRow> | FillProblem {
  const [one, two] = [first.trim(), second.trim()];
  if (mode === 'both' && (one === '' || two === '')) return 'batch.both';
  if (one === '') return 'batch.missing';
  const fill: Partial<RatioRow> =
    mode === 'both'
      ? { ratio: one, completion: two, price: '' }
      : mode === 'price'
        ? { price: one, ratio: '', completion: '' }
        : { [mode]: one, price: '' };
  const problems = Object.values(rowProblems({ name: '', price: '', ratio: '', completion: '', ...fill }));
  return problems.includes('ratio.number') ? 'batch.number' : (problems[0] ?? fill);
}

type Name = 'first' | 'second';
/** The field that a problem is about; the second one only if the first is right on its own. */
const wrongOf = (mode: FillMode, first: string): Name =>
  mode === 'both' && typeof fillOf('ratio', first, '') !== 'string' ? 'second' : 'first';

interface BatchDialogProps {
  count: number;
  onClose: () => void;
  onFill: (mode: FillMode, fill: Partial<RatioRow>) => void;
}

/** What is typed, and what is wrong with it as long as it is unchanged. */
function useBatch(onFill: BatchDialogProps['onFill']) {
  const { t } = useTranslation('setting');
  const [mode, setMode] = useState<FillMode>('price');
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const dirty = first !== '' || second !== '';
  useKept<z.infer<typeof keptSchema>>({
    id: 'batch',
    typed: () => (dirty ? { mode, first, second } : undefined),
    schema: keptSchema,
    restore: (kept) => {
      setMode(kept.mode);
      setFirst(kept.first);
      setSecond(kept.second);
    },
  });
  const [problem, setProblem] = useState<{ fill: FillProblem; of: z.infer<typeof keptSchema> }>();
  const inputs = useRef<Partial<Record<Name, HTMLInputElement | null>>>({});
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const fill = fillOf(mode, first, second);
    if (typeof fill !== 'string') return onFill(mode, fill);
    setProblem({ fill, of: { mode, first, second } });
    inputs.current[wrongOf(mode, first)]?.focus();
  };
  const isSaid = problem?.of.mode === mode && problem.of.first === first && problem.of.second === second;
  const at = (name: Name) => {
    const message = isSaid && wrongOf(mode, first) === name ? t(problem.fill) : undefined;
    return {
      error: message !== undefined,
      // An alert, because the focus may be at the field already.
      helperText: message && <span role="alert">{message}</span>,
      inputRef: (input: HTMLInputElement | null) => void (inputs.current[name] = input),
    };
  };
  return { mode, setMode, first, setFirst, second, setSecond, dirty, submit, at };
}

/** Sets the same price for the selected models. */
export function BatchDialog({ count, onClose, onFill }: BatchDialogProps) {
  const { t } = useTranslation('setting');
  const { mode, setMode, first, setFirst, second, setSecond, dirty, submit, at } = useBatch(onFill);
  return (
    <FormDialog
      title={t('batch.title', { count })}
      submitLabel={t('batch.action', { count })}
      dirty={dirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <RadioGroup aria-label={t('batch.mode')} value={mode} onChange={(_, next) => setMode(next as FillMode)}>
        {fillModes.map((one) => (
          <FormControlLabel key={one} value={one} control={<Radio />} label={t(`batch.modes.${one}`)} />
        ))}
      </RadioGroup>
      <Field
        label={t(mode === 'both' ? 'ratio.field.ratio' : 'batch.value')}
        value={first}
        onChange={(event) => setFirst(event.target.value)}
        inputMode="decimal"
        {...at('first')}
      />
      {mode === 'both' && (
        <Field
          label={t('ratio.field.completion')}
          value={second}
          onChange={(event) => setSecond(event.target.value)}
          inputMode="decimal"
          {...at('second')}
        />
      )}
    </FormDialog>
  );
}
