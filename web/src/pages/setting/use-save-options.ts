import type { OptionKey } from '@tollgate/contracts/options/index';
import { isSecret } from '@tollgate/contracts/options/index';
import { useEffect, useRef, useState } from 'react';
import type { TextKey } from '../../app/i18n/text-keys.js';
import type { ApiError } from '../../api/api-error.js';
import { baseApi } from '../../api/base-api.js';
import { toastShown } from '../../app/slices/toasts.js';
import type { AppThunk } from '../../app/store.js';
import { useAppDispatch } from '../../app/store.js';
import type { OptionDraft } from './option-draft.js';
import { textToSave } from './option-problem.js';
import type { SettingField } from './setting-fields.js';
import type { Options } from '../../api/option.api.js';
import { optionApi, useUpdateOptionMutation } from '../../api/option.api.js';

export interface Change {
  key: OptionKey;
  value: string;
  revision?: number;
  clear?: boolean;
}
export interface Outcome {
  key: OptionKey;
  error?: ApiError;
}

/** Applies a stored change to the cached list at once; the list that is fetched next has the new revision. */
function apply(options: Options, { key, value, clear = false }: Change): void {
  const option = options[key];
  if (!option) return;
  if (isSecret(key)) option.isSet = !clear;
  else option.value = value;
}

/**
 * Fetches the options again, because the next change of one must name its new revision. A list that is already being
 * fetched may still hold the old revisions, so it is awaited first.
 */
const refetchOptions = (): AppThunk<Promise<void>> => async (dispatch) => {
  const running = () => dispatch(optionApi.util.getRunningQueryThunk('listOptions', undefined));
  await running();
  dispatch(baseApi.util.invalidateTags(['Option', 'Status', 'Pricing', 'Group']));
  const again = optionApi.endpoints.listOptions.initiate(undefined, { forceRefetch: true, subscribe: false });
  await (running() ?? dispatch(again));
};

/**
 * Writes options one after the other, with one call each so that an error belongs to an option, and then fetches the
 * affected lists again.
 */
export function useWriteOptions() {
  const dispatch = useAppDispatch();
  const [update] = useUpdateOptionMutation();
  return async (changes: Change[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const change of changes) {
      const { error } = await update(change);
      outcomes.push({ key: change.key, error: error as ApiError | undefined });
      if (!error)
        dispatch(optionApi.util.updateQueryData('listOptions', undefined, (options) => apply(options, change)));
    }
    await dispatch(refetchOptions());
    return outcomes;
  };
}

/**
 * Secrets are written first, because a change of an address requires its secret to be entered again. Switches are
 * turned off before and on after all other options: what a switch needs may be emptied only while it is off, and must
 * be stored before it is on.
 */
function rank({ key, kind }: SettingField, draft: OptionDraft): number {
  if (isSecret(key)) return 0;
  if (kind !== 'flag') return 2;
  return draft.textOf(key) === 'true' ? 3 : 1;
}
const inOrder = (fields: readonly SettingField[], draft: OptionDraft): SettingField[] =>
  [...fields].sort((one, other) => rank(one, draft) - rank(other, draft));

const toChange = (field: SettingField, draft: OptionDraft): Change => ({
  key: field.key,
  value: textToSave(field, draft.textOf(field.key)),
  revision: draft.revisionOf(field.key),
});

/** The text for a failure without a message from the server. */
function fallbackKey(key: OptionKey, done: TextKey): TextKey {
  if (key === 'Notice') return 'setting:save.noticeFailed';
  return done === 'setting:save.updated' ? 'setting:save.updateFailed' : 'setting:save.failed';
}

/** Focuses the first refused field when the save has ended. */
function useFocusRefused(draft: OptionDraft, busy: boolean) {
  const wanted = useRef<readonly OptionKey[]>([]);
  const focusFirst = () => {
    const first = wanted.current.find((key) => draft.problem(key));
    if (first !== undefined) document.getElementsByName(first)[0]?.focus();
    wanted.current = [];
  };
  const latest = useRef(focusFirst);
  latest.current = focusFirst;
  useEffect(() => {
    if (!busy) latest.current();
  }, [busy]);
  return { focusFirst, focusAfter: (keys: readonly OptionKey[]) => void (wanted.current = keys) };
}

/** Saves the changed fields, and reports the result of each. */
export function useSaveOptions(draft: OptionDraft) {
  const dispatch = useAppDispatch();
  const write = useWriteOptions();
  const [busy, setBusy] = useState(false);
  const { focusFirst, focusAfter } = useFocusRefused(draft, busy);

  /** `sent`: the texts of the fields when they were sent. */
  const report = (outcomes: Outcome[], sent: ReadonlyMap<OptionKey, string>, done: TextKey) => {
    const failed = outcomes.filter(({ error }) => error);
    for (const { key, error } of failed) {
      draft.refuse(key, {
        key: error?.kind === 'conflict' ? 'problem.conflict' : 'problem.refused',
        message: '',
        error,
      });
    }
    draft.unpin(failed.filter(({ error }) => error?.kind === 'conflict').map(({ key }) => key));
    const refused = new Set(failed.map(({ key }) => key));
    draft.saved(new Map([...sent].filter(([key]) => !refused.has(key))));
    const [first] = failed;
    if (!first) dispatch(toastShown({ severity: 'success', key: done }));
    else if (outcomes.length > 1) dispatch(toastShown({ severity: 'error', key: 'setting:save.partly' }));
    else if (first.error?.message) dispatch(toastShown({ severity: 'error', error: first.error }));
    else dispatch(toastShown({ severity: 'error', key: fallbackKey(first.key, done) }));
  };

  const save = async (fields: readonly SettingField[], done: TextKey = 'setting:save.done'): Promise<boolean> => {
    const changed = inOrder(fields, draft).filter(({ key }) => draft.isChanged(key));
    if (changed.length === 0) {
      dispatch(toastShown({ severity: 'warning', key: 'form.nothingChanged' }));
      return false;
    }
    focusAfter(fields.map(({ key }) => key));
    if (changed.filter((field) => draft.check(field)).length > 0) {
      focusFirst();
      dispatch(toastShown({ severity: 'error', key: 'setting:save.check' }));
      return false;
    }
    setBusy(true);
    const sent = new Map(changed.map(({ key }) => [key, draft.textOf(key)]));
    const outcomes = await write(changed.map((field) => toChange(field, draft)));
    report(outcomes, sent, done);
    setBusy(false);
    return outcomes.every(({ error }) => !error);
  };

  /** Saves a switch that takes effect at once. */
  const saveNow = async ({ key }: SettingField, value: string): Promise<void> => {
    focusAfter([key]);
    setBusy(true);
    const outcomes = await write([{ key, value, revision: draft.options[key]?.revision }]);
    report(outcomes, new Map([[key, draft.textOf(key)]]), 'setting:save.updated');
    setBusy(false);
  };
  return { save, saveNow, busy };
}
