import type { Proof } from '@tollgate/contracts/api/second-factor';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isApiError } from '../../api/api-error.js';
import { CodeField } from '../../components/forms/code-field.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { PasswordField } from '../../components/forms/password-field.js';

type Step = (proof: Proof) => Promise<void>;

interface ProofRequest {
  step: Step;
  title: string;
  /** The proof that the server asks for. */
  by: keyof Proof;
}

const ASKING: Record<string, keyof Proof> = { 'password-needed': 'password', 'code-needed': 'code' };

function ProofPrompt({ request, onClose }: { request: ProofRequest; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const [value, setValue] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const { field, rest } = useRefusedInputs(error, { [request.by]: value });
  const submit = async () => {
    setBusy(true);
    try {
      await request.step({ [request.by]: value });
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <FormDialog
      title={request.title}
      submitLabel={t('factors.go')}
      busy={busy}
      error={rest}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onClose={onClose}
    >
      {request.by === 'code' ? (
        <CodeField label={t('factors.code')} code={value} onCode={setValue} autoFocus {...field('code')} />
      ) : (
        <PasswordField
          label={t('factors.password')}
          {...field('password', undefined, t('factors.whyPassword'))}
          value={value}
          onChange={(event) => setValue(event.target.value)}
          autoComplete="current-password"
          autoFocus
        />
      )}
    </FormDialog>
  );
}

/**
 * Runs a step. If the server asks for the password or a code, prompts for it and runs the step again with it. Any other
 * error is returned as `failed`. `running`: the title of the step that runs before such a prompt.
 */
export function useProof() {
  const [request, setRequest] = useState<ProofRequest>();
  const [running, setRunning] = useState<string>();
  const [failed, setFailed] = useState<unknown>();
  const prove = async (title: string, step: Step) => {
    setFailed(undefined);
    setRunning(title);
    try {
      await step({});
    } catch (error) {
      const by = isApiError(error) ? ASKING[error.code ?? ''] : undefined;
      if (by) setRequest({ title, step, by });
      else setFailed(error);
    } finally {
      setRunning(undefined);
    }
  };
  const dialog = request && <ProofPrompt request={request} onClose={() => setRequest(undefined)} />;
  return { prove, running, failed, dialog };
}
