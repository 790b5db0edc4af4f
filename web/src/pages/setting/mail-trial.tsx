import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTestMailMutation } from '../../api/option.api.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Callout } from '../../components/feedback/callout.js';
import { DeliveryList } from '../../components/account/delivery-list.js';
import { Field } from '../../components/forms/field.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { useOptionDraft } from './option-draft.js';

const FIELDS = ['SMTPServer', 'SMTPPort', 'SMTPAccount', 'SMTPFrom', 'SMTPToken', 'SMTPSSLEnabled'] as const;

/** Sends a test mail with the stored settings, and shows the reply of the mail server. */
function Trial() {
  const { t } = useTranslation('setting');
  const draft = useOptionDraft();
  const [email, setEmail] = useState('');
  const [send, { data: to, isLoading, error, reset }] = useTestMailMutation();
  const { field, rest } = useRefusedInputs(error, { email });
  const isUnsaved = FIELDS.some((key) => draft.isChanged(key));
  return (
    <Stack
      component="form"
      spacing={1}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send({ email: email.trim() });
      }}
    >
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'flex-start' }}>
        <Field
          {...field('email')}
          label={t('mailTest.to')}
          type="email"
          autoComplete="email"
          value={email}
          onChange={(event) => {
            setEmail(event.target.value);
            reset();
          }}
          placeholder={t('mailTest.own')}
          width={280}
        />
        <BusyButton type="submit" variant="outlined" busy={isLoading}>
          {t('mailTest.send')}
        </BusyButton>
      </Box>
      {isUnsaved && <Callout severity="info">{t('mailTest.unsaved')}</Callout>}
      {to && (
        <Callout severity="success" role="status">
          {t('mailTest.sent', { to })}
        </Callout>
      )}
      {rest != null && <Refusal error={rest} />}
    </Stack>
  );
}

/** A test mail, and the state of all mails sent before. Shown below the mail settings. */
export function MailTest() {
  const { t } = useTranslation('setting');
  return (
    <Stack spacing={2}>
      <Trial />
      <Typography variant="subtitle2" component="h3">
        {t('mailTest.deliveries')}
      </Typography>
      <DeliveryList everybody />
    </Stack>
  );
}
