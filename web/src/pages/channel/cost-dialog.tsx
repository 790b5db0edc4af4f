import type { ChannelCosts } from '@tollgate/contracts/api/cost';
import type { SyntheticEvent } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useSaveChannelCostsMutation } from '../../api/cost.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { FormDialog } from '../../components/form-dialog.js';
import { FormJson } from '../../components/form-json.js';
import { costsOfText, textOfCosts } from './cost-text.js';

const TEMPLATE = JSON.stringify({ '*': { ratio: 0.7 }, 'gpt-4o': { input: 2.5, output: 10 } }, undefined, 2);

interface CostDialogProps {
  id: number;
  current: ChannelCosts['current'];
  onClose: () => void;
}

/** All cost prices of a channel as one text; what is not in it is not known from now on. */
export function CostDialog({ id, current, onClose }: CostDialogProps) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const { control, handleSubmit } = useForm({ defaultValues: { text: textOfCosts(current) } });
  const [save, { isLoading, error }] = useSaveChannelCostsMutation();
  const submit = handleSubmit(async ({ text }) => {
    const reply = await save({ channel_id: id, costs: costsOfText(text) });
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'channel:cost.saved' }));
    onClose();
  });
  // The drawer around it is a form of its own.
  const own = (event: SyntheticEvent) => {
    event.stopPropagation();
    void submit(event);
  };
  return (
    <FormDialog
      title={t('cost.edit')}
      submitLabel={t('action.submit')}
      busy={isLoading}
      error={error}
      onSubmit={own}
      onClose={onClose}
    >
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
