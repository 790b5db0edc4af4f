import { useState } from 'react';
import { runJob, stepCall } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import type { TokenForm } from './token-form.js';
import { batchNames, toCreate } from './token-form.js';
import { tokenApi, useCreateTokenMutation } from '../../api/token.api.js';

/** Creates one token by a single call, or several as a job. The names are fixed before the first call. */
export function useCreateTokens() {
  const dispatch = useAppDispatch();
  const [createToken] = useCreateTokenMutation();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  const createOne = async (form: TokenForm): Promise<number> => {
    const reply = await createToken({ token: toCreate(form) });
    setError(reply.error);
    return reply.error ? 0 : 1;
  };
  const createMany = async (form: TokenForm, onFirst: () => void): Promise<number> => {
    const steps = batchNames(form.name.trim(), Number(form.count)).map((name, index) => ({
      name,
      run: async () => {
        await createToken({ token: toCreate({ ...form, name }), oneOfMany: true }).unwrap();
        if (index === 0) onFirst();
        return { key: 'token:job.created' as const };
      },
    }));
    const results = await dispatch(
      runJob({ titleKey: 'token:job.title', calls: steps.map(stepCall), stopOnFailure: true }),
    );
    dispatch(tokenApi.util.invalidateTags(['Token']));
    return results.filter(({ ok }) => ok).length;
  };
  /**
   * `onFirst` is called once the first token exists: the typed values are valid then, and the others are created in the
   * background.
   */
  const create = async (form: TokenForm, onFirst: () => void): Promise<void> => {
    setBusy(true);
    setError(undefined);
    const wanted = Number(form.count);
    const made = wanted > 1 ? await createMany(form, onFirst) : await createOne(form);
    setBusy(false);
    if (made === 0) return;
    if (made === wanted) dispatch(toastShown({ severity: 'success', key: 'token:created' }));
    else dispatch(toastShown({ severity: 'warning', key: 'token:createdSome', params: { made, wanted } }));
    if (wanted === 1) onFirst();
  };
  return { create, busy, error };
}
