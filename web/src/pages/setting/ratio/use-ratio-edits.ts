import { createContext, useCallback, useContext, useMemo, useRef, useState } from 'react';
import * as z from 'zod/mini';
import type { ApiError } from '../../../api/api-error.js';
import { toastShown } from '../../../app/slices/toasts.js';
import { useAppDispatch } from '../../../app/store.js';
import type { Options } from '../../../api/option.api.js';
import { useKept } from '../../../components/forms/use-kept.js';
import { optionApi } from '../../../api/option.api.js';
import { useWriteOptions } from '../use-save-options.js';
import type { RatioEdits, RatioField, RatioMaps, RatioRow } from './ratio-rows.js';
import {
  applyEdits,
  changedByOthers,
  hasProblems,
  leftRow,
  mapsOf,
  optionOf,
  ratioFieldNames,
  rowOf,
  rowSchema,
  sameRow,
} from './ratio-rows.js';

const keptSchema = z.object({
  edits: z.array(z.tuple([z.string(), z.nullable(rowSchema)])),
  bases: z.array(z.tuple([z.string(), rowSchema])),
});

/** Staged rows, and the stored row of each model when it was first changed. */
function useStaged(maps: RatioMaps) {
  const [edits, setEdits] = useState<RatioEdits>(new Map());
  const [bases, setBases] = useState<ReadonlyMap<string, RatioRow>>(new Map());
  useKept<z.infer<typeof keptSchema>>({
    id: 'prices',
    typed: () => (edits.size === 0 ? undefined : { edits: [...edits], bases: [...bases] }),
    schema: keptSchema,
    restore: (kept) => {
      setEdits(new Map(kept.edits));
      setBases(new Map(kept.bases));
    },
  });
  const stage = useCallback(
    (rows: (RatioRow | string)[]) => {
      const names = rows.map((row) => (typeof row === 'string' ? row : row.name));
      setBases((now) => new Map([...names.map((name) => [name, rowOf(maps, name)] as const), ...now]));
      setEdits((now) => {
        const next = new Map(now);
        for (const row of rows) {
          if (typeof row === 'string') next.set(row, null);
          else if (sameRow(row, rowOf(maps, row.name))) next.delete(row.name);
          else next.set(row.name, row);
        }
        return next;
      });
    },
    [maps],
  );
  const leave = useCallback(
    (row: RatioRow, field: RatioField) => stage([leftRow(row, field, rowOf(maps, row.name))]),
    [stage, maps],
  );
  /** Sets the stored rows that later changes by others are compared with. */
  const rebase = (stood: RatioMaps) =>
    setBases((now) => new Map([...now, ...[...edits.keys()].map((name) => [name, rowOf(stood, name)] as const)]));
  const latest = useRef(edits);
  latest.current = edits;
  /** Removes applied changes. A row that was staged again in the meantime stays staged. */
  const drop = (applied: RatioEdits) => {
    const left = new Map([...latest.current].filter(([name, row]) => row !== applied.get(name)));
    setEdits(left);
    setBases((now) => new Map([...now].filter(([name]) => left.has(name))));
  };
  const dropAll = () => drop(latest.current);
  return { edits, bases, stage, leave, drop, dropAll, rebase };
}

/** The options that store other tables after the edits than before. */
function writesOf(before: RatioMaps, after: RatioMaps, stored: Options) {
  const fields = ratioFieldNames.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  const writes = fields.map((field) => {
    const key = optionOf[field];
    return { key, value: JSON.stringify(after[field], undefined, 2), revision: stored[key]?.revision };
  });
  return { fields, writes };
}

/** Stages changes of prices, from any of the price tables, until they are applied together. */
export function useRatioEdits(options: Options) {
  const dispatch = useAppDispatch();
  const write = useWriteOptions();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly ApiError[]>([]);
  /** The stored rows that others changed since they were staged. */
  const [conflicts, setConflicts] = useState<readonly RatioRow[]>([]);
  const maps = useMemo(() => mapsOf(options), [options]);
  const { edits, bases, stage, leave, drop, dropAll, rebase } = useStaged(maps);

  /** Applies the staged rows to freshly loaded tables, so that rows changed by others are kept. */
  const apply = async () => {
    if (edits.size === 0 || hasProblems(edits)) {
      dispatch(
        edits.size === 0
          ? toastShown({ severity: 'warning', key: 'form.nothingChanged' })
          : toastShown({ severity: 'error', key: 'setting:save.check' }),
      );
      return;
    }
    setBusy(true);
    setRefused([]);
    setConflicts([]);
    const { data: fresh = options } = await dispatch(
      optionApi.endpoints.listOptions.initiate(undefined, { forceRefetch: true, subscribe: false }),
    );
    const before = mapsOf(fresh);
    const others = changedByOthers(before, bases, edits);
    if (others.length > 0) {
      setBusy(false);
      // The conflict is reported once; applying again overwrites the newer rows, which are shown by then.
      rebase(before);
      setConflicts(others.map((name) => rowOf(before, name)));
      return;
    }
    const after = applyEdits(before, edits);
    const { fields: changed, writes } = writesOf(before, after, fresh);
    const outcomes = await write(writes);
    setBusy(false);
    const written = changed.filter((_, index) => !outcomes[index]?.error);
    // When one of the tables was refused, the others are stored. Their new values must not count as changes by others.
    rebase({ ...before, ...Object.fromEntries(written.map((field) => [field, after[field]])) });
    const failed = outcomes.flatMap(({ error }) => error ?? []);
    setRefused(failed);
    if (failed.length > 0 && outcomes.length > 1)
      dispatch(toastShown({ severity: 'error', key: 'setting:save.partly' }));
    if (failed.length === 0) {
      drop(edits);
      dispatch(toastShown({ severity: 'success', key: 'setting:save.done' }));
    }
  };
  const undo = () => {
    setRefused([]);
    setConflicts([]);
    dropAll();
  };
  return { maps, edits, stage, leave, undo, apply, busy, refused, conflicts };
}
export type RatioStage = ReturnType<typeof useRatioEdits>;

const StageContext = createContext<RatioStage | undefined>(undefined);
export const StageProvider = StageContext.Provider;

export function useStage(): RatioStage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error('prices are drawn inside their stage');
  return stage;
}
