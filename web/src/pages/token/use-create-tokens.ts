import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { runJob } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import type { TokenForm } from './token-form.js';
import { batchNames, toCreate } from './token-form.js';
import { useCreateTokenMutation } from './token.api.js';

/** One token at once, several as a job whose names are fixed before the first call. */
export function useCreateTokens() {
  const { t } = useTranslation('token');
  const dispatch = useAppDispatch();
  const [createToken] = useCreateTokenMutation();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  const createOne = async (form: TokenForm): Promise<boolean> => {
    const reply = await createToken(toCreate(form));
    setError(reply.error);
    return !reply.error;
  };
  const createMany = async (form: TokenForm): Promise<boolean> => {
    const steps = batchNames(form.name.trim(), Number(form.count)).map((name) => ({
      name,
      run: async () => {
        await createToken(toCreate({ ...form, name })).unwrap();
        return t('job.created');
      },
    }));
    const results = await dispatch(runJob({ titleKey: 'token:job.title', steps, stopOnFailure: true }));
    return results.some(({ ok }) => ok);
  };
  const create = async (form: TokenForm): Promise<boolean> => {
    setBusy(true);
    const made = Number(form.count) > 1 ? await createMany(form) : await createOne(form);
    setBusy(false);
    if (made) dispatch(toastShown({ severity: 'success', key: 'token:created' }));
    return made;
  };
  return { create, busy, error };
}
