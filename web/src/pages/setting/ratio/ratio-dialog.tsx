import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { Field } from '../../../components/forms/field.js';
import { FormDialog } from '../../../components/overlays/form-dialog.js';
import { useKept } from '../../../components/forms/use-kept.js';
import type { RatioField, RatioRow, RatioProblem, TokenPrices } from './ratio-rows.js';
import { priceProblems, pricesOfRatios, ratiosOfPrices, rowProblems, rowSchema, sameRow } from './ratio-rows.js';

const modes = ['tokens', 'call'] as const;
type Mode = (typeof modes)[number];
type Way = 'ratio' | 'price';

const isEmpty = (problems: object): boolean => Object.keys(problems).length === 0;

interface ChoiceProps<Value extends Mode | Way> {
  label: string;
  value: Value;
  values: readonly Value[];
  onChange: (value: Value) => void;
}

function Choice<Value extends Mode | Way>({ label, value, values, onChange }: ChoiceProps<Value>) {
  const { t } = useTranslation('setting');
  return (
    <RadioGroup row aria-label={label} value={value} onChange={(_, next) => onChange(next as Value)}>
      {values.map((one) => (
        <FormControlLabel key={one} value={one} control={<Radio />} label={t(`ratio.mode.${one as Mode | Way}`)} />
      ))}
    </RadioGroup>
  );
}

interface NumberFieldProps {
  name: 'ratio' | 'completion' | 'price' | 'input' | 'output';
  value: string;
  problem?: RatioProblem;
  onText: (text: string) => void;
}

function NumberField({ name, value, problem, onText }: NumberFieldProps) {
  const { t } = useTranslation('setting');
  return (
    <Field
      label={t(`ratio.field.${name}`)}
      value={value}
      onChange={(event) => onText(event.target.value)}
      error={problem !== undefined}
      helperText={problem && t(problem)}
      inputMode="decimal"
    />
  );
}

interface TokenFieldsProps {
  row: RatioRow;
  onChange: (row: RatioRow) => void;
  /** Typed prices; absent when the model is priced by ratios. */
  prices: TokenPrices | undefined;
  onPrices: (prices: TokenPrices | undefined) => void;
  /** What is wrong with the first field as long as none has a number. */
  missing?: RatioProblem;
}

/**
 * Edits ratios either directly or as USD per million tokens. Only ratios are stored; a typed price that is invalid
 * leaves the last valid ratios in place.
 */
function TokenFields({ row, onChange, prices, onPrices, missing }: TokenFieldsProps) {
  const { t } = useTranslation('setting');
  const set = (field: RatioField) => (text: string) => onChange({ ...row, [field]: text });
  const setPrice = (next: TokenPrices) => {
    onPrices(next);
    if (isEmpty(priceProblems(next))) onChange({ ...row, ...ratiosOfPrices(next, row.completion) });
  };
  const choose = (way: Way) => onPrices(way === 'price' ? pricesOfRatios(row) : undefined);
  const problems = { ratio: missing, ...rowProblems(row) };
  const wrong: ReturnType<typeof priceProblems> = prices ? { input: missing, ...priceProblems(prices) } : {};
  return (
    <>
      <Choice label={t('ratio.way')} value={prices ? 'price' : 'ratio'} values={['ratio', 'price']} onChange={choose} />
      {prices
        ? (['input', 'output'] as const).map((name) => (
            <NumberField
              key={name}
              name={name}
              value={prices[name]}
              problem={wrong[name]}
              onText={(text) => setPrice({ ...prices, [name]: text })}
            />
          ))
        : (['ratio', 'completion'] as const).map((name) => (
            <NumberField key={name} name={name} value={row[name]} problem={problems[name]} onText={set(name)} />
          ))}
    </>
  );
}

interface RatioDialogProps {
  /** Absent for a new model. */
  row?: RatioRow;
  taken: (name: string) => boolean;
  onClose: () => void;
  onSave: (row: RatioRow) => void;
}

const blank: RatioRow = { name: '', price: '', ratio: '', completion: '' };

/** What the form lacks: a free name and, for a new model, a number, because nothing is stored of one without. */
const lacksOf = ({ row, taken }: Pick<RatioDialogProps, 'row' | 'taken'>, form: RatioRow) =>
  ({
    name: form.name.trim() === '' ? 'ratio.noName' : !row && taken(form.name.trim()) ? 'ratio.exists' : undefined,
    number: !row && sameRow(form, blank) ? 'ratio.number' : undefined,
  }) as const;

const keptSchema = z.object({
  form: rowSchema,
  mode: z.enum(modes),
  prices: z.optional(z.object({ input: z.string(), output: z.string() })),
});

/** The state of the form, whichever way the price is typed. */
function useRowForm(row: RatioRow | undefined) {
  const [form, setForm] = useState(row ?? blank);
  const [mode, setMode] = useState<Mode>(form.price === '' ? 'tokens' : 'call');
  const [prices, setPrices] = useState<TokenPrices>();
  const before = row ?? blank;
  const dirty = form.name !== before.name || !sameRow(form, before) || prices !== undefined;
  useKept<z.infer<typeof keptSchema>>({
    id: `price-${row?.name ?? ''}`,
    typed: () => (dirty ? { form, mode, prices } : undefined),
    schema: keptSchema,
    restore: (kept) => {
      setForm(kept.form);
      setMode(kept.mode);
      setPrices(kept.prices);
    },
  });
  return { form, setForm, mode, setMode, prices, setPrices, dirty };
}

/** Edits the price of one model; the name of an existing model cannot be changed. */
export function RatioDialog({ row, taken, onClose, onSave }: RatioDialogProps) {
  const { t } = useTranslation('setting');
  const { form, setForm, mode, setMode, prices, setPrices, dirty } = useRowForm(row);
  const [tried, setTried] = useState(false);
  const lacks = lacksOf({ row, taken }, form);
  const told: Partial<typeof lacks> = tried ? lacks : {};
  const problems = rowProblems(form);
  const switchMode = (next: Mode) => {
    setMode(next);
    setPrices(undefined);
    setForm({ ...form, ...(next === 'call' ? { ratio: '', completion: '' } : { price: '' }) });
  };
  const isAccepted = !lacks.name && !lacks.number && isEmpty(problems) && (!prices || isEmpty(priceProblems(prices)));
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isAccepted) return onSave({ ...form, name: form.name.trim() });
    // The fields are marked before the first of them is looked for.
    flushSync(() => setTried(true));
    event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  };
  return (
    <FormDialog
      title={t(row ? 'ratio.edit' : 'ratio.add')}
      submitLabel={t('action.ok')}
      dirty={dirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t('ratio.column.name')}
        value={form.name}
        denied={row ? t('ratio.nameFixed') : undefined}
        placeholder="strawberry"
        onChange={(event) => setForm({ ...form, name: event.target.value })}
        error={told.name !== undefined}
        helperText={told.name && t(told.name)}
        autoFocus={!row}
        spellCheck={false}
        autoCapitalize="none"
      />
      <Choice label={t('ratio.modeLabel')} value={mode} values={modes} onChange={switchMode} />
      {mode === 'tokens' ? (
        <TokenFields row={form} onChange={setForm} prices={prices} onPrices={setPrices} missing={told.number} />
      ) : (
        <NumberField
          name="price"
          value={form.price}
          problem={problems.price ?? told.number}
          onText={(price) => setForm({ ...form, price })}
        />
      )}
    </FormDialog>
  );
}
