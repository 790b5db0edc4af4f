import CloseIcon from '@mui/icons-material/Close';
import FilterIcon from '@mui/icons-material/FilterList';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { CompositionEvent, ReactNode, SyntheticEvent } from 'react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../forms/field.js';
import type { Filter, ListState } from '../tables/list-state.js';
import { NativeField } from '../forms/native-field.js';
import { TimeField } from '../forms/time-field.js';
import type { FilterField } from './use-filter-draft.js';
import { useFilterDraft } from './use-filter-draft.js';
import { CARDS_BELOW, MOBILE_BELOW, useNarrowerThan } from '../basics/use-media.js';
import { lazyPart } from '../basics/lazy-part.js';

const FilterSheet = lazyPart(async () => (await import('./filter-sheet.js')).FilterSheet);

interface FilterBarProps<F extends Filter> {
  fields: FilterField<F>[];
  list: ListState<F>;
  /** Called when 查询 is pressed although no filter changed: the list is fetched again in any case. */
  refetch: () => unknown;
  /** The text of a filter's chip; `undefined` for no chip. */
  describe?: (name: keyof F & string, value: string) => string | undefined;
  /** Controls for the presentation of the list, beside the filter fields. */
  views?: ReactNode;
  children?: ReactNode;
}

const HAN_PX = 12;
const LATIN_PX = 6.6;
const FRAME_PX = 34;
/** Pixels that a label needs at its font size; in some languages labels are longer than their fields would be. */
const labelRoom = (label: string): number =>
  FRAME_PX + Math.ceil([...label].reduce((sum, one) => sum + (one > '\u2e80' ? HAN_PX : LATIN_PX), 0));

interface FieldsProps<F extends Filter> {
  fields: FilterField<F>[];
  state: ReturnType<typeof useFilterDraft<F>>;
  wide: boolean;
}

function FilterFields<F extends Filter>({ fields, state, wide }: FieldsProps<F>) {
  const { draft, setDraft, problems, commit } = state;
  const [composing, setComposing] = useState(false);
  const watch = (event: CompositionEvent) => setComposing(event.type !== 'compositionend');
  return fields.map((field) => {
    const value = draft[field.name] ?? '';
    const width = wide ? '100%' : Math.max(field.width ?? 160, labelRoom(field.label));
    if (field.kind === 'select') {
      const choose = (next: string) => {
        const filter = { ...draft, [field.name]: next };
        setDraft(filter);
        commit(filter);
      };
      return (
        <NativeField
          key={field.name}
          label={field.label}
          value={value}
          onChange={choose}
          options={field.options}
          width={width}
        />
      );
    }
    if (field.kind === 'time') {
      return (
        <TimeField
          key={field.name}
          label={field.label}
          width={width}
          value={value}
          problem={problems[field.name]}
          placeholder={field.placeholder}
          onChange={(text) => setDraft({ ...draft, [field.name]: text })}
          onLeave={() => commit()}
        />
      );
    }
    return (
      <Field
        key={field.name}
        label={field.label}
        placeholder={field.placeholder}
        value={value}
        error={Boolean(problems[field.name])}
        helperText={problems[field.name]}
        onChange={(event) => setDraft({ ...draft, [field.name]: event.target.value })}
        onBlur={() => !composing && commit()}
        onCompositionStart={watch}
        onCompositionEnd={watch}
        width={width}
      />
    );
  });
}

interface ChipsProps<F extends Filter> {
  list: ListState<F>;
  describe: NonNullable<FilterBarProps<F>['describe']>;
  defaults: (name: keyof F & string) => void;
}

function FilterChips<F extends Filter>({ list, describe, defaults }: ChipsProps<F>) {
  const { t } = useTranslation();
  const chips = list.active.flatMap((name) => {
    const text = describe(name, list.filter[name] ?? '');
    return text ? [{ name, text }] : [];
  });
  if (chips.length === 0) return null;
  return (
    <Box sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap', alignItems: 'center' }}>
      {chips.map(({ name, text }) => (
        <Button
          key={name}
          size="small"
          color="inherit"
          endIcon={<CloseIcon sx={{ fontSize: '14px !important' }} />}
          onClick={() => defaults(name)}
          sx={{
            minHeight: 24,
            px: 1,
            py: 0,
            fontSize: '0.75rem',
            fontWeight: 400,
            bgcolor: 'background.sunken',
            maxWidth: 280,
          }}
        >
          <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
            {text}
          </Box>
        </Button>
      ))}
      <Button size="small" onClick={list.clear} sx={{ minHeight: 24, py: 0, fontSize: '0.75rem' }}>
        {t('action.clearFilters')}
      </Button>
    </Box>
  );
}

/** Calls back after a change of the value. */
function useOnChange(value: unknown, changed: () => void): void {
  const before = useRef(value);
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    latest.current();
  }, [value]);
}

/** Number of fields that fit on one line of a window between phone and desktop. */
const FEW_FIELDS = 3;

/**
 * The filters of a list page, whose state is the URL. One line on a desktop; one button on a phone and where the fields would take several
 * lines.
 */
export function FilterBar<F extends Filter>(props: FilterBarProps<F>) {
  const { fields, list, refetch, describe, views, children } = props;
  const { t } = useTranslation();
  const mobile = useNarrowerThan(fields.length > FEW_FIELDS ? CARDS_BELOW : MOBILE_BELOW);
  const [sheet, setSheet] = useState(false);
  const state = useFilterDraft(list, fields);
  // Fields that disappear, in the line or in the sheet, are left without a blur.
  useOnChange(mobile, () => {
    setSheet(false);
    state.commit();
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!state.valid) return;
    if (!state.commit()) void refetch();
    setSheet(false);
  };
  const label = list.active.length > 0 ? t('table.filtersCount', { count: list.active.length }) : t('table.filters');
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1, flex: 1, minWidth: 0 }} data-filter-bar role="search">
      {mobile ? (
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
          <Button
            variant="outlined"
            color="inherit"
            startIcon={<FilterIcon />}
            onClick={() => setSheet(true)}
            sx={{ flexShrink: 0 }}
          >
            {label}
          </Button>
          {children}
        </Box>
      ) : (
        <Box
          component="form"
          onSubmit={submit}
          sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1, rowGap: 1.25, alignItems: 'flex-start', pt: 0.75 }}
        >
          <FilterFields fields={fields} state={state} wide={false} />
          <Button type="submit" variant="outlined" sx={{ flexShrink: 0, whiteSpace: 'nowrap' }}>
            {t('action.search')}
          </Button>
          {views}
          {children}
        </Box>
      )}
      {describe && <FilterChips list={list} describe={describe} defaults={(name) => list.reset(name)} />}
      {mobile && sheet && (
        <Suspense fallback={null}>
          <FilterSheet title={label} onClose={() => setSheet(false)} onSubmit={submit}>
            <FilterFields fields={fields} state={state} wide />
            {views && <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>{views}</Box>}
          </FilterSheet>
        </Suspense>
      )}
    </Box>
  );
}
