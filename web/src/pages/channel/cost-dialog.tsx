import Box from '@mui/material/Box';
import type { ChannelCosts } from '@tollgate/contracts/api/cost';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { isApiError } from '../../api/api-error.js';
import { useSaveChannelCostsMutation } from '../../api/cost.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Callout } from '../../components/feedback/callout.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useKept } from '../../components/forms/use-kept.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { FormJson } from '../../components/json/form-json.js';
import { costsOfText, textOfCosts } from './cost-text.js';

const TEMPLATE = JSON.stringify({ '*': { ratio: 0.7 }, 'gpt-4o': { input: 2.5, output: 10 } }, undefined, 2);

const keptSchema = z.object({ text: z.string(), seen: z.number() });

/** The server reports a fault of the prices under `costs`; the form holds all of them in the field `text`. */
const names = { costs: 'text' } as const;

/** The prices that somebody else saved while this dialog was open, shown before they are replaced. */
function Theirs({ costs }: { costs: ChannelCosts['current'] }) {
  const { t } = useTranslation('channel');
  return (
    <Callout severity="warning">
      {t('cost.theirs')}
      <Box
        component="pre"
        tabIndex={0}
        role="region"
        aria-label={t('cost.stored')}
        sx={{ m: 0, mt: 1, maxHeight: 160, overflow: 'auto', typography: 'mono' }}
      >
        {textOfCosts(costs) || t('cost.none')}
      </Box>
    </Callout>
  );
}

interface CostDialogProps {
  id: number;
  costs: ChannelCosts;
  onClose: () => void;
}

/**
 * Edits all cost prices of a channel as one text; a price that is left out is unknown from then on. If somebody else
 * saved in the meantime, the typed text stays, the newer prices are shown, and the next save replaces them.
 */
export function CostDialog({ id, costs, onClose }: CostDialogProps) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const form = useForm({ defaultValues: { text: textOfCosts(costs.current) } });
  const { control, handleSubmit, getValues, setValue } = form;
  const { isDirty } = form.formState;
  const [seen, setSeen] = useState(costs.version);
  // The draft is kept with the version it was typed over, so that a later save still detects a conflicting change.
  useKept<z.infer<typeof keptSchema>>({
    id: `costs-${id}`,
    typed: () => (isDirty ? { ...getValues(), seen } : undefined),
    schema: keptSchema,
    restore: (kept) => {
      setValue('text', kept.text, { shouldDirty: true });
      setSeen(kept.seen);
    },
  });
  const [save, { isLoading, error }] = useSaveChannelCostsMutation();
  const refusal = useRefusedFields(form, error, names);
  const isConflict = isApiError(error) && error.code === 'cost-changed-meanwhile';
  const isShown = isConflict && costs.version !== seen;
  const submit = handleSubmit(async ({ text }) => {
    const version = isShown ? costs.version : seen;
    const reply = await save({ channel_id: id, costs: costsOfText(text), based_on: version });
    if (reply.error) {
      setSeen(version);
      return;
    }
    dispatch(toastShown({ severity: 'success', key: 'channel:cost.saved' }));
    onClose();
  });
  return (
    <FormDialog
      title={t('cost.edit')}
      submitLabel={isShown ? t('cost.replace') : t('action.submit')}
      busy={isLoading}
      error={refusal}
      dirty={isDirty}
      onSubmit={submit}
      onClose={onClose}
    >
      {isShown && <Theirs costs={costs.current} />}
      <FormJson
        control={control}
        name="text"
        label={t('cost.title')}
        helperText={t('cost.help')}
        template={TEMPLATE}
        invalid={t('cost.invalid')}
      />
    </FormDialog>
  );
}
