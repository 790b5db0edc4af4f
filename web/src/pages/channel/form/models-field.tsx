import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../../app/slices/toasts.js';
import { useAppDispatch } from '../../../app/store.js';
import { BusyButton } from '../../../components/basics/busy-button.js';
import { DeniableButton } from '../../../components/feedback/deniable-button.js';
import { Field } from '../../../components/forms/field.js';
import { FormList } from '../../../components/forms/form-list.js';
import type { ChannelFieldsProps } from './channel-form.js';
import { addNames, storedId, toFetchModels } from './channel-form.js';
import { useKeyNeeded, useMoved } from './use-key-needed.js';
import {
  useFetchModelsMutation,
  useFetchStoredModelsMutation,
  useListBuiltInModelsQuery,
} from '../../../api/channel-tools.api.js';

/** Documented, for channels of every type. */
const RELATED = /^(gpt|text)-/;

const small = { minHeight: 28, px: 1, py: 0 };

/**
 * Fetches the models that the upstream offers, with the typed key or, if none is typed, the stored one; for a copy, that of the
 * original. The stored key goes to the stored upstream only, so it cannot be used when the form names another one.
 */
function useUpstreamModels(props: ChannelFieldsProps) {
  const { control, getValues } = props;
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const [fetchStored, stored] = useFetchStoredModelsMutation();
  const [fetchTyped, typed] = useFetchModelsMutation();
  const isMoved = useMoved(control);
  const id = storedId(props);
  const isKeyNeeded = useKeyNeeded(control, id);
  const load = async (): Promise<string[] | undefined> => {
    const form = getValues();
    if (form.key.trim() === '') {
      if (id !== undefined && !isMoved) return (await fetchStored(id)).data;
      const offer = isKeyNeeded ? 'channel:form.keyFirst' : 'channel:form.keyOrSave';
      dispatch(toastShown({ severity: 'error', key: id === undefined ? 'channel:form.noKey' : offer }));
      return undefined;
    }
    return (await fetchTyped(toFetchModels(form))).data;
  };
  return { load, busy: stored.isLoading || typed.isLoading, label: t('form.fetchModels') };
}

function CustomNames({ models, onAdd }: { models: string[]; onAdd: (models: string[]) => void }) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const [text, setText] = useState('');
  const add = () => {
    const result = addNames(models, text);
    if (result.repeated.length > 0) dispatch(toastShown({ severity: 'error', key: 'channel:form.repeated' }));
    onAdd(result.models);
    setText('');
  };
  return (
    <Stack direction="row" spacing={1}>
      <Field
        label={t('form.customModels')}
        placeholder={t('form.customModelsHint')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          // During an IME composition Enter accepts characters.
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          add();
        }}
      />
      <DeniableButton
        variant="outlined"
        onClick={add}
        denied={text.trim() === '' ? t('form.customModelsHint') : undefined}
        sx={{ flexShrink: 0 }}
      >
        {t('form.fill')}
      </DeniableButton>
    </Stack>
  );
}

export function ModelsField(props: ChannelFieldsProps) {
  const { t } = useTranslation('channel');
  const { control, setValue, getValues } = props;
  const models = useWatch({ control, name: 'models' });
  const { data: all = [] } = useListBuiltInModelsQuery();
  const upstream = useUpstreamModels(props);
  const set = (names: readonly string[]) =>
    setValue('models', [...new Set(names)], { shouldDirty: true, shouldValidate: true });
  const fetchUpstream = async () => {
    const names = await upstream.load();
    // What was typed while the upstream answered stays too.
    if (names) set([...getValues('models'), ...names]);
  };
  return (
    <>
      <FormList
        control={control}
        name="models"
        label={t('form.models', { count: models.length })}
        options={all}
        free
        placeholder={t('form.modelsHint')}
        check={(value) => (value.length === 0 ? t('form.oneModel') : undefined)}
      />
      <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 0.5 }}>
        <Button
          size="small"
          variant="outlined"
          sx={small}
          title={t('form.fillRelatedHint')}
          onClick={() => set([...models, ...all.filter((name) => RELATED.test(name))])}
        >
          {t('form.fillRelated')}
        </Button>
        <Button size="small" variant="outlined" sx={small} onClick={() => set([...models, ...all])}>
          {t('form.fillAll')}
        </Button>
        <BusyButton
          size="small"
          variant="outlined"
          sx={small}
          busy={upstream.busy}
          onClick={() => void fetchUpstream()}
        >
          {upstream.label}
        </BusyButton>
        <Button size="small" variant="outlined" color="error" sx={small} onClick={() => set([])}>
          {t('form.clearModels')}
        </Button>
      </Stack>
      <CustomNames models={models} onAdd={set} />
    </>
  );
}
