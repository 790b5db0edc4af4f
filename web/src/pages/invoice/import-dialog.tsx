import FileIcon from '@mui/icons-material/UploadFileOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormHelperText from '@mui/material/FormHelperText';
import { invoiceFormats, MAX_INVOICE_CHARACTERS } from '@tollgate/contracts/api/invoice-formats';
import { useId, useLayoutEffect, useRef } from 'react';
import type { Control } from 'react-hook-form';
import { useController, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useImportInvoiceMutation } from '../../api/invoice.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { FormSelect, FormText } from '../../components/forms/form-fields.js';
import { UnsureNote } from '../../components/forms/unsure-note.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { FormJson } from '../../components/json/form-json.js';
import type { InvoiceForm, PickedFile } from './import-form.js';
import { isChannelList, toImport } from './import-form.js';
import { textOfBytes } from './text-of-file.js';

const COLUMNS = JSON.stringify(
  { day: 'date', model: 'model', input: 'input_tokens', output: 'output_tokens', input_includes_cache: true },
  undefined,
  2,
);
const names = { channel_ids: 'channels', csv: 'file' } as const;
const empty: InvoiceForm = { name: '', format: 'openai', channels: '', columns: COLUMNS };

/**
 * Reads the chosen file. A UTF-16 code unit takes three bytes at most in UTF-8, so a larger file is too long and is not
 * read.
 */
async function pick(chosen: File): Promise<PickedFile> {
  const { name, size } = chosen;
  if (size > 3 * MAX_INVOICE_CHARACTERS) return { name, text: '', fault: 'tooLong' };
  // The file may be gone, changed or locked since it was chosen.
  const bytes = await chosen.arrayBuffer().catch(() => undefined);
  if (bytes === undefined) return { name, text: '', fault: 'unreadable' };
  const text = textOfBytes(new Uint8Array(bytes));
  if (text.trim() === '') return { name, text, fault: 'emptyFile' };
  return { name, text, fault: text.length > MAX_INVOICE_CHARACTERS ? 'tooLong' : undefined };
}

function FileField({ control }: { control: Control<InvoiceForm> }) {
  const { t } = useTranslation('invoice');
  const input = useRef<HTMLInputElement>(null);
  const helpId = useId();
  const faultOf = (file: PickedFile | undefined) => (file ? file.fault && t(`form.${file.fault}`) : t('form.noFile'));
  const rules = { validate: (file: PickedFile | undefined) => faultOf(file) ?? true };
  const { field, fieldState } = useController({ control, name: 'file', rules });
  const file = field.value;
  // A fault of the file itself is shown as soon as it is chosen, not only after a submit.
  const problem = file?.fault ? faultOf(file) : fieldState.error?.message;
  const take = async (target: HTMLInputElement) => {
    const [chosen] = target.files ?? [];
    if (chosen) field.onChange(await pick(chosen));
    // Cleared, so that choosing the same file again after correcting it fires a change event.
    target.value = '';
  };
  return (
    <Box>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,text/csv"
        aria-label={t('form.file')}
        onChange={({ target }) => void take(target)}
      />
      <Button
        ref={field.ref}
        startIcon={<FileIcon />}
        variant="outlined"
        aria-describedby={problem ? helpId : undefined}
        onClick={() => input.current?.click()}
      >
        {file?.name ?? t('form.file')}
      </Button>
      {problem && (
        <FormHelperText id={helpId} error>
          {problem}
        </FormHelperText>
      )}
    </Box>
  );
}

/** A ref that is false once the dialog is unmounted. */
function useShown() {
  const shown = useRef(false);
  useLayoutEffect(() => {
    shown.current = true;
    return () => void (shown.current = false);
  }, []);
  return shown;
}

function Fields({ control }: { control: Control<InvoiceForm> }) {
  const { t } = useTranslation('invoice');
  const format = useWatch({ control, name: 'format' });
  return (
    <>
      <FormText
        control={control}
        name="name"
        label={t('form.name')}
        placeholder={t('form.namePlaceholder')}
        check={(text) => (text.trim() === '' ? t('form.noName') : undefined)}
        autoFocus
        autoComplete="off"
      />
      <FormSelect
        control={control}
        name="format"
        label={t('format.label')}
        options={invoiceFormats.map((value) => ({ value, label: t(`format.${value}`) }))}
      />
      {format === 'columns' && (
        <FormJson
          control={control}
          name="columns"
          label={t('form.columns')}
          helperText={t('form.columnsHelp')}
          invalid={t('form.badColumns')}
        />
      )}
      <FormText
        control={control}
        name="channels"
        label={t('form.channels')}
        helperText={t('form.channelsHelp')}
        check={(text) => (isChannelList(text) ? undefined : t('form.badChannels'))}
        autoComplete="off"
      />
      <FileField control={control} />
    </>
  );
}

/** Imports one invoice file of one account with a provider. */
export function ImportDialog({ onClose, onDone }: { onClose: () => void; onDone: (id: number) => void }) {
  const { t } = useTranslation('invoice');
  const dispatch = useAppDispatch();
  const shown = useShown();
  const form = useForm<InvoiceForm>({ defaultValues: empty });
  const { control, handleSubmit } = form;
  const [send, { isLoading, error }] = useImportInvoiceMutation();
  // A restored draft has no file; it must be chosen again.
  const { unsure } = useDraft(form, { id: 'import', secrets: ['file'], failure: error });
  const refusal = useRefusedFields(form, error, names);
  const submit = handleSubmit(async (typed) => {
    const { data } = await send(toImport(typed, typed.file?.text ?? ''));
    if (!data) return;
    dispatch(toastShown({ severity: 'success', key: 'invoice:form.done' }));
    // No navigation to the result if the reader has left the dialog meanwhile.
    if (shown.current) onDone(data.id);
  });
  return (
    <FormDialog
      title={t('import')}
      submitLabel={t('import')}
      busy={isLoading}
      error={refusal}
      dirty={form.formState.isDirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <UnsureNote unsure={unsure} list="/invoice" />
      <Fields control={control} />
    </FormDialog>
  );
}
