import { useState } from 'react';
import { toastShown } from '../../../app/slices/toasts.js';
import { useAppDispatch } from '../../../app/store.js';
import { useDraft } from '../option-draft.js';
import { optionApi } from '../../../api/option.api.js';
import { useWriteOptions } from '../use-save-options.js';
import type { RatioEdits, RatioRow } from './ratio-rows.js';
import { applyEdits, mapsOf, optionOf, ratioFieldNames, rowOf, rowProblems, sameRow } from './ratio-rows.js';

/** Changes of prices wait here until they are applied together. */
export function useRatioEdits() {
  const draft = useDraft();
  const dispatch = useAppDispatch();
  const write = useWriteOptions();
  const [edits, setEdits] = useState<RatioEdits>(new Map());
  const [busy, setBusy] = useState(false);
  const maps = mapsOf(draft.options);

  const stage = (rows: (RatioRow | string)[]) =>
    setEdits((now) => {
      const next = new Map(now);
      for (const row of rows) {
        if (typeof row === 'string') next.set(row, null);
        else if (sameRow(row, rowOf(maps, row.name))) next.delete(row.name);
        else next.set(row.name, row);
      }
      return next;
    });
  const drop = () => setEdits(new Map());

  /** Merged into what the server holds now, so that rows others changed meanwhile stay theirs. */
  const apply = async () => {
    const broken = [...edits.values()].some((row) => row && Object.keys(rowProblems(row)).length > 0);
    if (edits.size === 0 || broken) {
      dispatch(
        edits.size === 0
          ? toastShown({ severity: 'warning', key: 'form.nothingChanged' })
          : toastShown({ severity: 'error', key: 'setting:save.check' }),
      );
      return;
    }
    setBusy(true);
    const { data: fresh = draft.options } = await dispatch(
      optionApi.endpoints.listOptions.initiate(undefined, { forceRefetch: true, subscribe: false }),
    );
    const before = mapsOf(fresh);
    const after = applyEdits(before, edits);
    const changed = ratioFieldNames.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
    const outcomes = await write(
      changed.map((field) => {
        const key = optionOf[field];
        return { key, value: JSON.stringify(after[field], undefined, 2), revision: fresh[key]?.revision };
      }),
    );
    setBusy(false);
    const [failed] = outcomes.filter(({ error }) => error);
    if (failed?.error && outcomes.length === 1) dispatch(toastShown({ severity: 'error', error: failed.error }));
    else if (failed) dispatch(toastShown({ severity: 'error', key: 'setting:save.partly' }));
    else {
      drop();
      dispatch(toastShown({ severity: 'success', key: 'setting:save.done' }));
    }
  };
  return { maps, edits, stage, drop, apply, busy };
}
export type RatioStage = ReturnType<typeof useRatioEdits>;
