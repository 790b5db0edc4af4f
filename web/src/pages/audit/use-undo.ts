import type { AuditEntry } from '@tollgate/contracts/api/audit';
import { useTranslation } from 'react-i18next';
import { baseApi } from '../../api/base-api.js';
import { useUpdateChannelMutation } from '../../api/channel.api.js';
import { useUpdateOptionMutation } from '../../api/option.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import type { Difference } from '../../components/basics/differences.js';
import { titleOf } from '../../components/basics/differences.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { differencesOf, undoOf } from './undo.js';

/** Characters of a value that the confirmation shows; the entry itself shows the whole value. */
const MOST_SHOWN = 200;
/** Changed values that the confirmation names. */
const MOST_NAMED = 10;
/** Milliseconds until the audit entry of the undo is expected: it is written when its event has been consumed. */
const ENTRY_MS = 1500;

/** Undoes a change after a confirmation, then fetches the list again to show the new entry. */
export function useUndo() {
  const { t } = useTranslation('audit');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [updateOption] = useUpdateOptionMutation();
  const [updateChannel] = useUpdateChannelMutation();
  const undo = (entry: AuditEntry) => {
    const call = undoOf(entry);
    if (typeof call === 'string') return;
    const short = (text = ''): string =>
      text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text || t('diff.blank');
    const line = (row: Difference): string => {
      const [name, now, then] = [titleOf(row), short(row.after), short(row.before)];
      if (row.key === undefined || (row.before !== undefined && row.after !== undefined))
        return t('undo.field', { name, now, then });
      return row.before === undefined ? t('undo.remove', { name, now }) : t('undo.restore', { name, then });
    };
    const rows = differencesOf(entry);
    const more = rows.length - MOST_NAMED;
    confirm({
      title: t('undo.title', { subject: entry.subject }),
      consequences: [
        ...rows.slice(0, MOST_NAMED).map(line),
        ...(more > 0 ? [t('undo.more', { count: more })] : []),
        t('undo.checked'),
      ],
      confirm: { label: t('undo.action'), danger: true },
      run: async () => {
        if (call.kind === 'option') await updateOption(call.body).unwrap();
        else await updateChannel({ change: call.body }).unwrap();
        dispatch(baseApi.util.invalidateTags(['Option', 'Status', 'Pricing', 'Group']));
        dispatch(toastShown({ severity: 'success', key: 'done.action' }));
        setTimeout(() => dispatch(baseApi.util.invalidateTags(['Option'])), ENTRY_MS);
      },
    });
  };
  return { undo, dialog };
}
