import type { SyntheticEvent } from 'react';
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

const faultOf = (email: string): 'noEmail' | 'badEmail' | undefined => {
  if (email.trim() === '') return 'noEmail';
  return email.includes('@') ? undefined : 'badEmail';
};

interface EmailDialogProps {
  onClose: () => void;
  /** Until the next code may be sent; longer than the dialog may be open. */
  cooldown: ReturnType<typeof useCountdown>;
}

/** What is typed, what is wrong with it, and the two calls: for a code, and with the code. */
function useBinding({ onClose, cooldown: [, wait] }: EmailDialogProps) {
  const dispatch = useAppDispatch();
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<'noEmail' | 'badEmail' | 'noCode'>();
  useKept<string>({ id: 'email', typed: () => email || undefined, restore: setEmail, schema: z.string() });
  const [send, sending] = useSendCodeMutation();
  const [bind, binding] = useBindEmailMutation();
  const { field, rest } = useRefusedInputs(binding.error ?? sending.error, { email, code });

  const ask = async () => {
    const wrong = faultOf(email);
    setProblem(wrong);
    if (wrong) return;
    binding.reset();
    if ((await send({ email: email.trim(), turnstile: '' })).error) return;
    wait(WAIT_SECONDS);
    dispatch(toastShown({ severity: 'success', key: 'personal:binding.codeSent' }));
  };
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    const wrong = faultOf(email) ?? (code.trim() === '' ? 'noCode' : undefined);
    setProblem(wrong);
    if (wrong || (await bind({ email: email.trim(), code: code.trim() })).error) return;
    dispatch(toastShown({ severity: 'success', key: 'personal:binding.emailDone' }));
    onClose();
  };
  return {
    ...{ email, setEmail, code, setCode, problem, field, rest, ask, submit },
    ...{ isSending: sending.isLoading, isBinding: binding.isLoading },
  };
}

/** Binds an email address. The user proves to own it with the code that is sent to it. */
export function EmailDialog(props: EmailDialogProps) {
  const { t } = useTranslation('personal');
  const { email, setEmail, code, setCode, problem, field, rest, ask, submit, isSending, isBinding } = useBinding(props);
  const [left] = props.cooldown;
  return (
    <FormDialog
      title={t('binding.emailTitle')}
      submitLabel={t('binding.bind')}
      busy={isBinding}
      error={rest}
      dirty={email !== ''}
      onSubmit={(event) => void submit(event)}
      onClose={props.onClose}
    >
      <Field
        label={t('binding.emailField')}
        type="email"
        autoComplete="email"
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        {...field('email', problem && problem !== 'noCode' ? t(`binding.${problem}`) : undefined)}
        end={
          <DeniableButton
            size="small"
            onClick={() => void ask()}
            busy={isSending}
            denied={left > 0 ? t('binding.again', { left }) : undefined}
            sx={{ whiteSpace: 'nowrap' }}
          >
            {left > 0 ? t('binding.again', { left }) : t('binding.getCode')}
          </DeniableButton>
        }
      />
      <Field
        label={t('binding.emailCode')}
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => setCode(event.target.value)}
        {...field('code', problem === 'noCode' ? t('binding.noCode') : undefined)}
      />
    </FormDialog>
  );
}
