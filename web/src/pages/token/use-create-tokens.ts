import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { runJob } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import type { TokenForm } from './token-form.js';
import { batchNames, toCreate } from './token-form.js';
import { tokenApi, useCreateTokenMutation } from './token.api.js';

/** One token at once, several as a job whose names are fixed before the first call. */
export function useCreateTokens() {
  const { t } = useTranslation('token');
  const dispatch = useAppDispatch();
  const [createToken] = useCreateTokenMutation();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  const createOne = async (form: TokenForm): Promise<boolean> => {
    const reply = await createToken({ token: toCreate(form) });
    setError(reply.error);
    return !reply.error;
  };
  const createMany = async (form: TokenForm, onFirst: () => void): Promise<boolean> => {
    const steps = batchNames(form.name.trim(), Number(form.count)).map((name, index) => ({
      name,
      run: async () => {
        await createToken({ token: toCreate({ ...form, name }), oneOfMany: true }).unwrap();
        if (index === 0) onFirst();
        return t('job.created');
      },
    }));
    const results = await dispatch(runJob({ titleKey: 'token:job.title', steps, stopOnFailure: true }));
    dispatch(tokenApi.util.invalidateTags(['Token']));
    return results.some(({ ok }) => ok);
  };
  /** `onFirst`: the first token is there, so what was typed is fine and the rest goes on by itself. */
  const create = async (form: TokenForm, onFirst: () => void): Promise<void> => {
    setBusy(true);
    const made = Number(form.count) > 1 ? await createMany(form, onFirst) : await createOne(form);
    setBusy(false);
    if (!made) return;
    dispatch(toastShown({ severity: 'success', key: 'token:created' }));
    if (Number(form.count) === 1) onFirst();
  };
  return { create, busy, error };
}
