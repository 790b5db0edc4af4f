import type { PasskeyLogin } from '@tollgate/contracts/api/second-factor';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { useState } from 'react';
import { isApiError } from '../../api/api-error.js';
import { useBeginPasskeyLoginMutation, useFinishPasskeyLoginMutation } from '../../api/factor.api.js';
import { askForPasskey, wasGivenUp } from './passkey-call.js';

/** Signs in by a passkey, as the only factor or as the second one. `failed` is the server's refusal or the browser's error. */
export function usePasskeyLogin(isSecondStep: boolean, onSignedIn: (user: SessionUser) => void) {
  const [begin] = useBeginPasskeyLoginMutation();
  const [finish] = useFinishPasskeyLoginMutation();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<unknown>();
  const run = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      const response = await askForPasskey(await begin(isSecondStep).unwrap());
      onSignedIn(await finish({ response } as PasskeyLogin).unwrap());
    } catch (error) {
      if (!wasGivenUp(error)) setFailed(isApiError(error) ? error : 'browser');
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, failed };
}
