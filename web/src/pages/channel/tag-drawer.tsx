import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { UpdateTag } from '@tollgate/contracts/api/channel';
import { textLimits } from '@tollgate/contracts/text-limits';
import type { UseFormReturn } from 'react-hook-form';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useListGroupNamesQuery } from '../../api/catalogue.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Callout } from '../../components/feedback/callout.js';
import { FormText } from '../../components/forms/form-fields.js';
import { FormList } from '../../components/forms/form-list.js';
import { FormJson } from '../../components/json/form-json.js';
import { SideDrawer } from '../../components/overlays/side-drawer.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import type { TagRow } from './channel-facts.js';
import { useListBuiltInModelsQuery, useUpdateTagMutation } from '../../api/channel-tools.api.js';
import { mappingTemplate } from './form/mapping-template.js';

const names = { model_mapping: 'mapping' } as const;

interface TagForm {
  newTag: string;
  models: string[];
  groups: string[];
  mapping: string;
}

/**
 * An empty field leaves the value of the channels unchanged. Only an empty name does something: it removes the tag from
 * its channels.
 */
function toRequest(form: TagForm, tag: string): UpdateTag {
  return {
    tag,
    ...(form.newTag.trim() !== tag && { new_tag: form.newTag.trim() }),
    ...(form.models.length > 0 && { models: form.models.join(',') }),
    ...(form.groups.length > 0 && { groups: form.groups.join(',') }),
    ...(form.mapping.trim() !== '' && { model_mapping: form.mapping.trim() === '{}' ? '' : form.mapping.trim() }),
  };
}

interface TagDrawerProps {
  row: TagRow;
  onClose: () => void;
  onSaved: () => void;
}

/** The mapping, and the buttons for the two texts of it that mean something else. */
function MappingField({ form: { control, setValue } }: { form: UseFormReturn<TagForm> }) {
  const { t } = useTranslation('channel');
  return (
    <>
      <FormJson
        control={control}
        name="mapping"
        label={t('form.mapping')}
        template={mappingTemplate}
        invalid={t('form.badMapping')}
        helperText={t('tag.keep')}
      />
      <Stack direction="row" spacing={1}>
        <Button size="small" onClick={() => setValue('mapping', '{}', { shouldDirty: true })}>
          {t('tag.clearMapping')}
        </Button>
        <Button size="small" onClick={() => setValue('mapping', '', { shouldDirty: true })}>
          {t('tag.keepMapping')}
        </Button>
      </Stack>
    </>
  );
}

export function TagDrawer({ row, onClose, onSaved }: TagDrawerProps) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const { data: groups = [] } = useListGroupNamesQuery();
  const { data: models = [] } = useListBuiltInModelsQuery();
  const form = useForm<TagForm>({ defaultValues: { newTag: row.tag, models: [], groups: [], mapping: '' } });
  const { control, handleSubmit, formState } = form;
  useDraft(form, { id: `tag:${row.tag}` });
  const [update, { isLoading, error }] = useUpdateTagMutation();
  const refusal = useRefusedFields(form, error, names);
  const submit = handleSubmit(async (form) => {
    const request = toRequest(form, row.tag);
    if (Object.keys(request).length === 1) {
      dispatch(toastShown({ severity: 'warning', key: 'channel:tag.unchanged' }));
      return;
    }
    const reply = await update(request);
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'channel:tag.updated' }));
    onSaved();
  });
  return (
    <SideDrawer
      title={t('tag.edit')}
      onClose={onClose}
      onSubmit={submit}
      dirty={formState.isDirty}
      busy={isLoading}
      error={refusal}
    >
      <Callout severity="warning">{t('tag.banner', { count: row.channels.length })}</Callout>
      <FormText control={control} name="newTag" label={t('tag.newName')} limit={textLimits.tag} />
      <FormList
        control={control}
        name="models"
        label={t('tag.models')}
        options={models}
        free
        helperText={t('tag.keep')}
      />
      <FormList
        control={control}
        name="groups"
        label={t('tag.groups')}
        options={groups}
        free
        helperText={t('tag.keep')}
      />
      <MappingField form={form} />
    </SideDrawer>
  );
}
