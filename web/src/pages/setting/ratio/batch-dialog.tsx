import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import type { RefObject, SyntheticEvent } from 'react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { Field } from '../../../components/forms/field.js';
import { FormDialog } from '../../../components/overlays/form-dialog.js';
import { useKept } from '../../../components/forms/use-kept.js';
import type { RatioRow } from './ratio-rows.js';
import type { RatioProblem } from './ratio-rows.js';
import { rowProblems } from './ratio-rows.js';

const fillModes = ['price', 'ratio', 'completion', 'both'] as const;
export type FillMode = (typeof fillModes)[number];
const typedSchema = z.object({ mode: z.enum(fillModes), first: z.string(), second: z.string() });
type Typed = z.infer<typeof typedSchema>;

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
type Inputs = Partial<Record<Name, HTMLInputElement | null>>;

/** The field that a problem is about; the second one only if the first is right on its own. */
const wrongOf = (mode: FillMode, first: string): Name =>
  mode === 'both' && typeof fillOf('ratio', first, '') !== 'string' ? 'second' : 'first';

interface FieldsProps {
  typed: Typed;
  onChange: (typed: Typed) => void;
  /** What is wrong with the typed values. */
  problem?: FillProblem;
  inputs: RefObject<Inputs>;
}

function Fields({ typed, onChange, problem, inputs }: FieldsProps) {
  const { t } = useTranslation('setting');
  const { mode, first } = typed;
  const at = (name: Name) => {
    const message = problem && wrongOf(mode, first) === name ? t(problem) : undefined;
    return {
      value: typed[name],
      onChange: ({ target }: { target: { value: string } }) => onChange({ ...typed, [name]: target.value }),
      inputMode: 'decimal' as const,
      error: message !== undefined,
      // An alert, because the focus may be at the field already.
      helperText: message && <span role="alert">{message}</span>,
      inputRef: (input: HTMLInputElement | null) => void (inputs.current[name] = input),
    };
  };
  return (
    <>
      <RadioGroup
        aria-label={t('batch.mode')}
        value={mode}
        onChange={(_, next) => onChange({ ...typed, mode: next as FillMode })}
      >
        {fillModes.map((one) => (
          <FormControlLabel key={one} value={one} control={<Radio />} label={t(`batch.modes.${one}`)} />
        ))}
      </RadioGroup>
      <Field label={t(mode === 'both' ? 'ratio.field.ratio' : 'batch.value')} {...at('first')} />
      {mode === 'both' && <Field label={t('ratio.field.completion')} {...at('second')} />}
    </>
  );
}

interface BatchDialogProps {
  count: number;
  onClose: () => void;
  onFill: (mode: FillMode, fill: Partial<RatioRow>) => void;
}

/** Sets the same price for the selected models. */
export function BatchDialog({ count, onClose, onFill }: BatchDialogProps) {
  const { t } = useTranslation('setting');
  const [typed, setTyped] = useState<Typed>({ mode: 'price', first: '', second: '' });
  const [problem, setProblem] = useState<FillProblem>();
  const inputs = useRef<Inputs>({});
  const { mode, first, second } = typed;
  const dirty = first !== '' || second !== '';
  useKept<Typed>({ id: 'batch', typed: () => (dirty ? typed : undefined), restore: setTyped, schema: typedSchema });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const fill = fillOf(mode, first, second);
    if (typeof fill !== 'string') return onFill(mode, fill);
    setProblem(fill);
    inputs.current[wrongOf(mode, first)]?.focus();
  };
  const change = (next: Typed) => {
    setTyped(next);
    setProblem(undefined);
  };
  return (
    <FormDialog
      title={t('batch.title', { count })}
      submitLabel={t('batch.action', { count })}
      dirty={dirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <Fields typed={typed} onChange={change} problem={problem} inputs={inputs} />
    </FormDialog>
  );
}
