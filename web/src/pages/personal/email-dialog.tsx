import type { ReactNode, SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { useBindEmailMutation } from '../../api/self.api.js';
import { useSendCodeMutation } from '../../api/session.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { Field } from '../../components/forms/field.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { useKept } from '../../components/forms/use-kept.js';
import type { useCountdown } from '../../components/basics/use-countdown.js';

const WAIT_SECONDS = 30;

type EmailProblem = 'noEmail' | 'badEmail';

const faultOf = (email: string): EmailProblem | undefined => {
  if (email === '') return 'noEmail';
  return email.includes('@') ? undefined : 'badEmail';
};

interface FieldsProps {
  typed: Readonly<Record<'email' | 'code', string>>;
  onChange: (typed: { email: string; code: string }) => void;
  problem?: EmailProblem | 'noCode';
  /** Properties of a field, with the server's refusal of its value. */
  field: ReturnType<typeof useRefusedInputs<'email' | 'code'>>['field'];
  /** At the end of the field for the address. */
  end: ReactNode;
}

function Fields({ typed, onChange, problem, field, end }: FieldsProps) {
  const { t } = useTranslation('personal');
  return (
    <>
      <Field
        label={t('binding.emailField')}
        type="email"
        autoComplete="email"
        autoFocus
        value={typed.email}
        onChange={(event) => onChange({ ...typed, email: event.target.value })}
        {...field('email', problem && problem !== 'noCode' ? t(`binding.${problem}`) : undefined)}
        end={end}
      />
      <Field
        label={t('binding.emailCode')}
        autoComplete="one-time-code"
        value={typed.code}
        onChange={(event) => onChange({ ...typed, code: event.target.value })}
        {...field('code', problem === 'noCode' ? t('binding.noCode') : undefined)}
      />
    </>
  );
}

/** Sends a code to the address, and says for how long no other one may be sent. */
function CodeButton({ left, busy, onAsk }: { left: number; busy: boolean; onAsk: () => void }) {
  const { t } = useTranslation('personal');
  const wait = left > 0 ? t('binding.again', { left }) : undefined;
  return (
    <DeniableButton size="small" onClick={onAsk} busy={busy} denied={wait} sx={{ whiteSpace: 'nowrap' }}>
      {wait ?? t('binding.getCode')}
    </DeniableButton>
  );
}

interface EmailDialogProps {
  onClose: () => void;
  /** Until the next code may be sent; longer than the dialog may be open. */
  cooldown: ReturnType<typeof useCountdown>;
}

/** Binds an email address. The user proves to own it with the code that is sent to it. */
export function EmailDialog({ onClose, cooldown: [left, wait] }: EmailDialogProps) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const [typed, setTyped] = useState({ email: '', code: '' });
  const [problem, setProblem] = useState<EmailProblem | 'noCode'>();
  const restore = (email: string) => setTyped((now) => ({ ...now, email }));
  useKept<string>({ id: 'email', typed: () => typed.email || undefined, restore, schema: z.string() });
  const [send, sending] = useSendCodeMutation();
  const [bind, binding] = useBindEmailMutation();
  const { field, rest } = useRefusedInputs(binding.error ?? sending.error, typed);
  const email = typed.email.trim();
  const code = typed.code.trim();

  const ask = async () => {
    const wrong = faultOf(email);
    setProblem(wrong);
    if (wrong) return;
    binding.reset();
    if ((await send({ email, turnstile: '' })).error) return;
    wait(WAIT_SECONDS);
    dispatch(toastShown({ severity: 'success', key: 'personal:binding.codeSent' }));
  };
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    const wrong = faultOf(email) ?? (code === '' ? 'noCode' : undefined);
    setProblem(wrong);
    if (wrong || (await bind({ email, code })).error) return;
    dispatch(toastShown({ severity: 'success', key: 'personal:binding.emailDone' }));
    onClose();
  };
  return (
    <FormDialog
      title={t('binding.emailTitle')}
      submitLabel={t('binding.bind')}
      busy={binding.isLoading}
      error={rest}
      dirty={typed.email !== ''}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      <Fields
        typed={typed}
        onChange={setTyped}
        problem={problem}
        field={field}
        end={<CodeButton left={left} busy={sending.isLoading} onAsk={() => void ask()} />}
      />
    </FormDialog>
  );
}
