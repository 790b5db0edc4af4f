import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { signedIn } from '../../app/slices/session.js';
import { statusApi } from '../../api/status.api.js';
import { useLoginMutation } from '../../api/session.api.js';
import { useAppDispatch } from '../../app/store.js';
import { isSecondStep } from '../../components/sign-in/second-step.js';
import type { SetupForm } from './setup-form.js';
import { toSetupRequest } from './setup-form.js';
import { usePostSetupMutation } from '../../api/setup.api.js';

/** Time to read the message of success, as specified. */
const PAUSE_MS = 1500;

/** Sets the system up, signs in with the credentials just typed, and opens the first page. */
export function useInitialize() {
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const [postSetup, { isLoading, error }] = usePostSetupMutation();
  const [signIn] = useLoginMutation();
  const [done, setDone] = useState(false);

  const initialize = async (form: SetupForm, withAdmin: boolean): Promise<void> => {
    const request = toSetupRequest(form);
    const reply = await postSetup(request);
    if (reply.error) return;
    setDone(true);
    const pause = new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const login = withAdmin ? await signIn({ username: request.username ?? '', password: form.password }) : undefined;
    await pause;
    // The check only narrows the type: an account created a moment ago has no second factor.
    if (login?.data && !isSecondStep(login.data)) dispatch(signedIn(login.data));
    await dispatch(statusApi.endpoints.getStatus.initiate(undefined, { forceRefetch: true, subscribe: false }));
    await navigate(login?.data ? '/' : '/login', { replace: true });
  };
  return { initialize, busy: isLoading, done, error };
}
