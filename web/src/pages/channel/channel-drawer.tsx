import { skipToken } from '@reduxjs/toolkit/query';
import type { Channel } from '@tollgate/contracts/api/channel';
import { ChannelStatus } from '@tollgate/contracts/roles';
import type { SyntheticEvent } from 'react';
import { useEffect, useRef } from 'react';
import type { Control } from 'react-hook-form';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Callout } from '../../components/feedback/callout.js';
import { FormSection } from '../../components/forms/form-section.js';
import { SideDrawer } from '../../components/overlays/side-drawer.js';
import { useConflict } from '../../components/forms/use-conflict.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { useEditForm, useNothingChanged } from '../../components/forms/use-edit-form.js';
import { UnsureNote } from '../../components/forms/unsure-note.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { BasicFields } from './form/basic-fields.js';
import { AdvancedFields, ModelFields, RoutingFields } from './form/channel-fields.js';
import type { ChannelFieldsProps, ChannelForm } from './form/channel-form.js';
import { ChannelCosts } from './channel-costs.js';
import { ChannelKeyList } from './channel-keys.js';
import { formOf, newChannel, toCreate, toUpdate } from './form/channel-form.js';
import { useAddressQuestion } from './form/use-address-question.js';
import { useCreateChannelMutation, useGetChannelQuery, useUpdateChannelMutation } from '../../api/channel.api.js';

const names = { group: 'groups' } as const;

const advanced = ['model_mapping', 'param_override', 'status_code_mapping', 'setting'] as const;

function useAdvancedSummary(control: Control<ChannelForm>): string {
  const { t } = useTranslation('channel');
  const values = useWatch({ control, name: advanced });
  const labels = {
    model_mapping: 'form.mapping',
    param_override: 'form.override',
    status_code_mapping: 'form.statusMappingShort',
    setting: 'form.setting',
  } as const;
  const set = advanced.filter((_, index) => values[index]?.trim() !== '');
  return set.length === 0 ? t('form.nothingSet') : set.map((name) => t(labels[name])).join(t('table.separator'));
}

function Fields(props: ChannelFieldsProps) {
  const { t } = useTranslation('channel');
  const summary = useAdvancedSummary(props.control);
  return (
    <>
      <BasicFields {...props} />
      <FormSection title={t('form.section.models')}>
        <ModelFields {...props} />
      </FormSection>
      <FormSection title={t('form.section.routing')}>
        <RoutingFields {...props} />
      </FormSection>
      <FormSection title={t('form.section.advanced')} summary={summary} advanced>
        <AdvancedFields {...props} />
      </FormSection>
    </>
  );
}

interface DrawerProps {
  onClose: () => void;
  /** `test`: test the saved channel at once. */
  onSaved: (id: number | undefined, test: boolean) => void;
}

/**
 * Two buttons that save the same form: "Submit" and "Save and test". They never run at the same time. Enter submits
 * without a test, because a test costs money. Where there is something to ask (`ask`), nothing is saved. `save` resolves
 * to whether it succeeded; the drawer then closes, and a press until it is gone has no effect.
 */
function useTwoButtons(save: (test: boolean) => Promise<boolean>, busy: boolean, ask: () => boolean) {
  const { t } = useTranslation('channel');
  const running = useRef(false);
  const run = async (test: boolean) => {
    if (running.current || ask()) return;
    running.current = true;
    let saved = false;
    try {
      saved = await save(test);
    } finally {
      running.current = saved;
    }
  };
  const button = (
    <BusyButton type="button" variant="outlined" busy={busy} onClick={() => void run(true)}>
      {t('form.saveAndTest')}
    </BusyButton>
  );
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    void run(false);
  };
  return { button, submit };
}

/** A copy has all fields but the key, which the server copies itself and never sends to a browser. */
const copyOf = (channel: Channel, suffix: string): ChannelForm => ({
  ...formOf(channel),
  name: `${channel.name}${suffix}`,
  // With several keys it is one channel, as the original is.
  batch: Boolean(channel.multi_key_mode),
});

const isOff = ({ status }: Channel): boolean => status !== ChannelStatus.enabled;

/** What a request for a copy has of the original without a field in the form: its id, for the key; a copy of a channel that is off does not serve. */
const unshownOf = (channel: Channel) => ({
  copy_from: channel.id,
  status: isOff(channel) ? ChannelStatus.disabled : ChannelStatus.enabled,
  max_input_tokens: channel.max_input_tokens,
});

/** Reports that the channel to copy no longer exists. */
function useMissingSource(missing: boolean): void {
  const dispatch = useAppDispatch();
  useEffect(() => {
    if (missing) dispatch(toastShown({ severity: 'error', key: 'channel:copyMissing' }));
  }, [missing, dispatch]);
}

function CreateDrawer({ copyFrom, onClose, onSaved }: DrawerProps & { copyFrom?: number }) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const source = useGetChannelQuery(copyFrom ?? skipToken);
  const values = source.data && copyOf(source.data, t('copySuffix'));
  const form = useForm<ChannelForm>({ defaultValues: newChannel(), values });
  const { control, setValue, getValues, handleSubmit, formState } = form;
  const [create, { isLoading, error }] = useCreateChannelMutation();
  const ready = copyFrom === undefined || values !== undefined;
  const { unsure } = useDraft(form, { ready, secrets: ['key'], failure: error });
  useMissingSource(source.error !== undefined);
  const refusal = useRefusedFields(form, error, names);
  const save = async (test: boolean): Promise<boolean> => {
    let saved = false;
    await handleSubmit(async (form) => {
      const reply = await create({ ...toCreate(form, values), ...(source.data && unshownOf(source.data)) });
      if (reply.error) {
        if (copyFrom !== undefined) dispatch(toastShown({ severity: 'error', key: 'channel:copyFailed' }));
        return;
      }
      saved = true;
      dispatch(toastShown({ severity: 'success', key: 'channel:created' }));
      onSaved(reply.data?.ids[0], test);
    })();
    return saved;
  };
  const address = useAddressQuestion(form, () => values?.base_url ?? '');
  const { button, submit } = useTwoButtons(save, isLoading, address.askBeforeSaving);
  const load =
    copyFrom === undefined
      ? undefined
      : { pending: !source.data, error: source.error, retry: () => void source.refetch() };
  return (
    <SideDrawer
      title={t('create')}
      onClose={onClose}
      onSubmit={submit}
      dirty={formState.isDirty}
      busy={isLoading}
      error={refusal}
      load={load}
      extraActions={button}
    >
      <UnsureNote unsure={unsure} list="/channel" />
      {source.data && isOff(source.data) && <Callout severity="warning">{t('form.copyOff')}</Callout>}
      <Fields
        control={control}
        setValue={setValue}
        getValues={getValues}
        copyFrom={copyFrom}
        onAddressLeft={address.ask}
      />
      {address.dialog}
    </SideDrawer>
  );
}

const blank = newChannel();

/** Labels of the fields as the drawer shows them, for the notice about a conflicting change. */
function useFieldLabels() {
  const { t } = useTranslation('channel');
  return {
    ...{ type: t('form.type'), name: t('form.name'), base_url: t('form.address.optional'), other: t('form.otherName') },
    ...{ multi_key_mode: t('form.keyMode.label'), openai_organization: t('form.organization') },
    ...{ models: t('form.section.models'), test_model: t('form.testModel'), model_mapping: t('form.mapping') },
    ...{ groups: t('form.groups'), priority: t('form.priority'), weight: t('form.weight'), tag: t('form.tag') },
    ...{ auto_ban: t('form.autoBan'), param_override: t('form.override'), setting: t('form.setting') },
    status_code_mapping: t('form.statusMappingShort'),
  };
}

function EditDrawer({ id, onClose, onSaved }: DrawerProps & { id: number }) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const query = useGetChannelQuery(id, { refetchOnMountOrArgChange: true });
  const { data: channel } = query;
  const edit = useEditForm<Channel, ChannelForm>({ query, blank, formOf, secrets: ['key'] });
  const { control, setValue, getValues, handleSubmit, formState } = edit.form;
  const isNothing = useNothingChanged();
  const [update, { isLoading, error, reset }] = useUpdateChannelMutation();
  const refusal = useRefusedFields(edit.form, error, names);
  const save = async (test: boolean): Promise<boolean> => {
    let saved = false;
    await handleSubmit(async (form): Promise<void> => {
      const change = toUpdate(form, edit.seen(), id);
      if (!test && isNothing(change)) return;
      // Without a change there is nothing to save, only to test.
      if (Object.keys(change).length > 1) {
        const { error: refused } = await update({ change });
        if (refused) return conflict.look(refused);
        dispatch(toastShown({ severity: 'success', key: 'channel:updated' }));
      }
      saved = true;
      onSaved(id, test);
    })();
    return saved;
  };
  const address = useAddressQuestion(edit.form, () => edit.seen().base_url);
  const { button, submit } = useTwoButtons(save, isLoading, address.askBeforeSaving);
  const labels = useFieldLabels();
  const conflict = useConflict({ edit, labels, error, reset, submit: () => save(false) });
  return (
    <SideDrawer
      title={channel ? t('edit', { name: channel.name }) : t('editUnknown')}
      onClose={onClose}
      onSubmit={submit}
      dirty={formState.isDirty}
      busy={isLoading}
      error={refusal}
      notice={conflict.notice}
      load={edit.load}
      extraActions={button}
    >
      <Fields control={control} setValue={setValue} getValues={getValues} id={id} onAddressLeft={address.ask} />
      {address.dialog}
      {channel?.multi_key_mode && <ChannelKeyList id={id} />}
      <ChannelCosts id={id} />
    </SideDrawer>
  );
}

export function ChannelDrawer({ id, copyFrom, ...props }: DrawerProps & { id?: number; copyFrom?: number }) {
  return id === undefined ? <CreateDrawer copyFrom={copyFrom} {...props} /> : <EditDrawer id={id} {...props} />;
}
