import type { Channel } from '@tollgate/contracts/api/channel';
import { textLimits } from '@tollgate/contracts/text-limits';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Field } from '../../components/forms/field.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { useKept } from '../../components/forms/use-kept.js';
import type { TextProblem } from '../../components/forms/text-problem.js';
import { lengthProblem } from '../../components/forms/text-problem.js';
import { useTagChannelsMutation } from '../../api/channel-tools.api.js';

/** Sets one tag for the selected channels. */
export function TagDialog({ rows, onClose }: { rows: Channel[]; onClose: () => void }) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const [tag, setTag] = useState('');
  const [tried, setTried] = useState(false);
  const problem: TextProblem<'tag.empty'> | undefined =
    tag.trim() === '' ? { key: 'tag.empty' } : lengthProblem(tag.trim(), textLimits.tag);
  const shown = tried ? problem : undefined;
  const ids = rows.map(({ id }) => id);
  useKept<string>({ id: `tag-${ids.join()}`, typed: () => tag || undefined, restore: setTag, schema: z.string() });
  const [save, { isLoading, error }] = useTagChannelsMutation();
  const { field, rest } = useRefusedInputs(error, { tag });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (problem) return;
    const reply = await save({ ids, tag: tag.trim() });
    if (reply.data === undefined) return;
    dispatch(toastShown({ severity: 'success', key: 'channel:tag.done', params: { count: reply.data } }));
    onClose();
  };
  return (
    <FormDialog
      title={t('tag.set')}
      submitLabel={t('tag.set')}
      busy={isLoading}
      error={rest}
      dirty={tag !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <div>{t('tag.affected', { count: rows.length })}</div>
      <Field
        label={t('tag.name')}
        value={tag}
        onChange={(event) => setTag(event.target.value)}
        {...field('tag', shown && t(shown.key, { ...shown.params }))}
        autoFocus
      />
    </FormDialog>
  );
}
