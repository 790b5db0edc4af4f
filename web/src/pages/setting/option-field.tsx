import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Switch from '@mui/material/Switch';
import { skipToken } from '@reduxjs/toolkit/query';
import { defaultOptions, optionRows } from '@tollgate/contracts/options/index';
import { Suspense, memo, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useGetSelfQuery } from '../../api/self.api.js';
import { currentLanguage } from '../../app/i18n/index.js';
import { selectRole } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import { afterPress } from '../../components/basics/after-press.js';
import { Field } from '../../components/forms/field.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { JsonEditor } from '../../components/json/json-editor.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { NativeField } from '../../components/forms/native-field.js';
import { useShown } from '../../components/forms/use-conflict.js';
import { RequestId } from '../../components/feedback/request-id.js';
import { useOptionDraft, useDraftValue } from './option-draft.js';
import type { Problem } from './option-problem.js';
import { describeError } from '../../api/api-error.js';
import { SecretInput } from './secret-input.js';
import type { SettingField } from './setting-fields.js';
import { textOf } from './setting-fields.js';

// Loaded on demand: only this field needs the library's autocomplete.
const DomainsField = lazyPart(async () => (await import('./domains-field.js')).DomainsField);

/**
 * The text of a problem. In Chinese it is the registry's exact message, for invalid JSON with its place; in English, and
 * for conflicts, a text of the dictionary. `theirs` is added to it.
 */
function useProblemText() {
  const { t } = useTranslation('setting');
  return (problem: Problem | undefined, theirs = ''): string | undefined => {
    if (!problem) return undefined;
    const ours = currentLanguage() !== 'zh' || problem.key === 'problem.conflict';
    const message = problem.error ? describeError(problem.error) : problem.message;
    const text = ours ? t(problem.key, { ...problem.params, message }) : message;
    return problem.key === 'problem.json' ? text + t('problem.at', { ...problem.params }) : text + theirs;
  };
}

/** What is stored now, for whoever was refused because somebody else had changed it; nothing for a secret. */
function useTheirs({ key, kind }: SettingField): string {
  const { t } = useTranslation('setting');
  const shown = useShown();
  const isConflict = useDraftValue((draft) => draft.problem(key)?.key === 'problem.conflict');
  const stored = useDraftValue((draft) => draft.options[key]?.value ?? '');
  if (!isConflict || kind === 'secret') return '';
  const value = kind === 'choice' ? t(textOf('choice', stored)) : kind === 'flag' ? stored === 'true' : stored;
  return t('problem.theirs', { value: shown(value) });
}

/** Why a field cannot be changed now, as a text. */
function useLock({ key, needs, needsOwnFactor = false }: SettingField): string | undefined {
  const { t } = useTranslation('setting');
  const role = useAppSelector(selectRole);
  const { data: self } = useGetSelfQuery(needsOwnFactor ? undefined : skipToken);
  const isMissed = useDraftValue((draft) => needs !== undefined && draft.textOf(needs) !== 'true');
  if (role < optionRows[key].minRole) return t('locked.root');
  if (self?.two_factor === false && needsOwnFactor) return t('locked.ownFactor');
  if (needs && isMissed) return t('locked.needs', { label: t(textOf('label', needs)) });
  return undefined;
}

const SHORT: readonly SettingField['kind'][] = ['integer', 'decimal', 'choice'];

/** The default value, and a button that restores it; shown if the current value differs. */
function DefaultNote({ field }: { field: SettingField }) {
  const { t } = useTranslation('setting');
  const draft = useOptionDraft();
  const value = defaultOptions[field.key];
  const holds = useDraftValue((now) => now.textOf(field.key) === value);
  // Leaving the field adds a domain: a row that came up then would move the button to save from under the pointer.
  if (holds && field.kind === 'domains') return <Box sx={{ minHeight: 24 }} />;
  if (field.kind === 'secret' || value === '' || holds) return null;
  const word = field.kind === 'choice' ? t(textOf('choice', value)) : value;
  const restore = () => {
    // This button goes away now, and must not take the focus with it.
    document.getElementsByName(field.key)[0]?.focus();
    draft.change(field, value);
  };
  return (
    <Button
      size="small"
      onClick={restore}
      sx={{ minHeight: 24, px: 1, py: 0, fontWeight: 400, fontSize: '0.75rem', alignSelf: 'flex-start' }}
    >
      {SHORT.includes(field.kind) ? t('default.back', { value: word }) : t('default.backTo')}
    </Button>
  );
}

/** A block of text grows to twelve lines and then scrolls. */
const blockHeight = { '&& textarea': { minHeight: 76, maxHeight: 260 } } as const;
const inputModes: Partial<Record<SettingField['kind'], 'numeric' | 'decimal'>> = {
  integer: 'numeric',
  decimal: 'decimal',
};

interface ControlProps {
  field: SettingField;
  label: string;
  help?: string;
  error: boolean;
  /** Why this user cannot change the field now. */
  denied?: string;
}

function TextControl({ field, label, help, error, denied }: ControlProps) {
  const draft = useOptionDraft();
  const { t } = useTranslation('setting');
  const { key, kind } = field;
  const value = useDraftValue((now) => now.textOf(key));
  const isSet = useDraftValue((now) => now.options[key]?.isSet ?? false);
  const onText = (text: string) => draft.change(field, text);
  const onBlur = () => afterPress(() => void draft.check(field));
  // Texts of operators may be in any language.
  const shared = { label, error, denied, helperText: help, onBlur, lang: '' };
  if (kind === 'json')
    return <JsonEditor {...shared} name={key} value={value} onText={onText} template={field.template} shape="any" />;
  if (kind === 'domains')
    return (
      <Suspense fallback={<Placeholder sx={{ height: 40 }} />}>
        <DomainsField {...shared} name={key} value={value} onText={onText} />
      </Suspense>
    );
  if (kind === 'secret') return <SecretInput {...shared} name={key} value={value} isSet={isSet} onText={onText} />;
  if (kind === 'choice') {
    const options = (field.choices ?? []).map((choice) => ({ value: choice, label: t(textOf('choice', choice)) }));
    return <NativeField {...{ label, denied, options }} name={key} value={value} onChange={onText} helperText={help} />;
  }
  const block = kind === 'text' || kind === 'lines';
  return (
    <Box sx={blockHeight}>
      <Field
        {...shared}
        name={key}
        value={value}
        onChange={(event) => onText(event.target.value)}
        multiline={block}
        autoComplete="off"
        spellCheck={kind === 'text'}
        autoCapitalize="none"
        inputMode={inputModes[kind]}
      />
    </Box>
  );
}

interface FlagProps extends ControlProps {
  /** The card is being saved; a disabled switch would lose the focus. */
  busy: boolean;
  onFlag: (on: boolean) => void;
}

const lockedLook = { '& .MuiSwitch-root, & .MuiFormControlLabel-label': { opacity: 0.6 }, cursor: 'default' } as const;

function FlagControl({ field, label, help, error, busy, denied, onFlag }: FlagProps) {
  const isOn = useDraftValue((draft) => draft.textOf(field.key) === 'true');
  const helpId = useId();
  const locked = denied !== undefined;
  const note = error ? help : (denied ?? help);
  return (
    <Box>
      <FormControlLabel
        label={label}
        sx={{ ml: -0.5, minHeight: 32, '& .MuiFormControlLabel-label': { ml: 0.5 }, ...(locked && lockedLook) }}
        control={
          <Switch
            size="small"
            name={field.key}
            checked={isOn}
            onChange={(_, checked) => !locked && !busy && onFlag(checked)}
            slotProps={{
              input: {
                role: 'switch',
                'aria-describedby': note ? helpId : undefined,
                'aria-disabled': locked || busy || undefined,
              },
            }}
          />
        }
      />
      {note && (
        <FormHelperText id={helpId} error={error} sx={{ mt: 0, ml: 5 }}>
          {note}
        </FormHelperText>
      )}
    </Box>
  );
}

interface OptionFieldProps {
  field: SettingField;
  /** Called when a switch is pressed; the card decides whether it confirms or saves at once. */
  onFlag?: (field: SettingField, on: boolean) => void;
  busy?: boolean;
}

/** One option with its label, hint and error. */
export const OptionField = memo(function OptionField({ field, onFlag, busy = false }: OptionFieldProps) {
  const { t } = useTranslation('setting');
  const draft = useOptionDraft();
  const problemText = useProblemText();
  const locked = useLock(field);
  const found = useDraftValue((now) => now.problem(field.key));
  const theirs = useTheirs(field);
  const problem = problemText(found, theirs);
  const help = problem ?? (field.hinted ? t(textOf('hint', field.key)) : undefined);
  const shared = {
    field,
    label: t(textOf('label', field.key)),
    help,
    error: problem !== undefined,
    denied: locked,
  };
  const changed = useDraftValue((now) => now.isChanged(field.key));
  const wide = ['json', 'text', 'lines', 'domains'].includes(field.kind);
  return (
    <Box
      id={`option-${field.key}`}
      data-option={field.key}
      data-changed={changed || undefined}
      sx={{
        gridColumn: wide ? '1 / -1' : undefined,
        minWidth: 0,
        display: 'flex',
        flexDirection: 'column',
        pl: 1,
        // Negative margin for the border and padding, so that the field is aligned with the title of its card.
        ml: '-10px',
        borderLeft: '2px solid',
        borderColor: changed ? 'primary.main' : 'transparent',
        // In forced colours mode a transparent border would be visible.
        '@media (forced-colors: active)': { borderColor: changed ? 'Highlight' : 'Canvas' },
      }}
    >
      {field.kind === 'flag' ? (
        <FlagControl
          {...shared}
          busy={busy}
          onFlag={(on) => (onFlag ? onFlag(field, on) : draft.change(field, String(on)))}
        />
      ) : (
        <>
          <TextControl {...shared} />
          {!locked && <DefaultNote field={field} />}
        </>
      )}
      <RequestId id={found?.error?.requestId} />
    </Box>
  );
});
