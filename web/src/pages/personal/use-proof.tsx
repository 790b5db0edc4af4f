import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isApiError } from '../../api/api-error.js';
import { FormDialog } from '../../components/form-dialog.js';
import { PasswordField } from '../../components/password-field.js';

type Step = (password?: string) => Promise<void>;

interface Asked {
  step: Step;
  title: string;
}

function PasswordPrompt({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    try {
      await asked.step(password);
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <FormDialog
      title={asked.title}
      submitLabel={t('factors.go')}
      busy={busy}
      error={error}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onClose={onClose}
    >
      <PasswordField
        label={t('security.original')}
        name="password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="current-password"
        helperText={t('factors.whyPassword')}
        autoFocus
      />
    </FormDialog>
  );
}

/** Does a step at once where the sign-in is fresh, and asks for the password where the server wants it. Other refusals are `failed`. */
export function useProof() {
  const [asked, setAsked] = useState<Asked>();
  const [failed, setFailed] = useState<unknown>();
  const prove = async (title: string, step: Step) => {
    setFailed(undefined);
    try {
      await step();
    } catch (error) {
      if (isApiError(error) && error.code === 'password-needed') setAsked({ title, step });
      else setFailed(error);
    }
  };
  const dialog = asked && <PasswordPrompt asked={asked} onClose={() => setAsked(undefined)} />;
  return { prove, failed, dialog };
}
