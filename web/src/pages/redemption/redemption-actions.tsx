import CopyIcon from '@mui/icons-material/ContentCopy';
import EditIcon from '@mui/icons-material/EditOutlined';
import type { Redemption, UpdateRedemptionStatus } from '@tollgate/contracts/api/redemption';
import { RedemptionStatus } from '@tollgate/contracts/roles';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { useDeleteRedemptionMutation, useSetRedemptionStatusMutation } from '../../api/redemption.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { useCopy } from '../../components/texts/copy-button.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import type { RowAction } from '../../components/tables/table-types.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { overPage } from '../../components/overlays/use-over-entry.js';
import { isUnused } from './redemption-columns.js';

const CodeDialog = lazyPart(async () => (await import('./code-dialog.js')).CodeDialog);
const icon = { fontSize: 18 };

/** Changes of a code on the server: its state, and its deletion after a question. */
function useChanges() {
  const { t } = useTranslation('redemption');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [setStatus] = useSetRedemptionStatusMutation();
  const [remove] = useDeleteRedemptionMutation();
  const turn = async (id: number, status: UpdateRedemptionStatus['status']) => {
    const { data } = await setStatus({ id, status });
    if (data) dispatch(toastShown({ severity: 'success', key: 'done.action' }));
  };
  const askDelete = ({ id, name }: Redemption) =>
    confirm({
      title: t('delete.title'),
      consequences: [t('delete.consequence'), t('confirm.irreversible')],
      affected: { total: 1, names: [`#${id} ${name}`] },
      confirm: { label: t('action.delete'), danger: true },
      run: () => remove(id).unwrap(),
    });
  return { turn, askDelete, dialog };
}

export function useRedemptionActions() {
  const { t } = useTranslation('redemption');
  const navigate = useNavigate();
  const { search } = useLocation();
  const { copy, dialog: copyDialog } = useCopy();
  const { turn, askDelete, dialog } = useChanges();
  const [shown, setShown] = useState<Redemption>();
  const actionsOf = (code: Redemption): RowAction[] => {
    const isUsed = code.status === RedemptionStatus.used;
    return [
      { id: 'copy', label: t('action.copy'), icon: <CopyIcon sx={icon} />, run: () => void copy(code.key) },
      {
        id: 'edit',
        label: t('action.edit'),
        icon: <EditIcon sx={icon} />,
        disabledReason: isUnused(code) ? undefined : t('editHint'),
        run: () => void navigate(`/redemption/edit/${code.id}${search}`, { state: overPage }),
      },
      { id: 'view', label: t('action.view'), run: () => setShown(code) },
      { id: 'proof', label: t('posting.proof'), run: () => void navigate(`/proof/code/${code.id}`) },
      {
        id: 'switch',
        label: t(isUnused(code) ? 'action.disable' : 'action.enable'),
        disabledReason: isUsed ? t('usedHint') : undefined,
        run: () => void turn(code.id, isUnused(code) ? RedemptionStatus.disabled : RedemptionStatus.unused),
      },
      { id: 'delete', label: t('action.delete'), danger: true, run: () => askDelete(code) },
    ];
  };
  const copyRows = (rows: Redemption[]) => copy(rows.map(({ name, key }) => `${name}    ${key}`).join('\n'));
  const code = shown && (
    <Suspense fallback={null}>
      <CodeDialog code={shown} onClose={() => setShown(undefined)} />
    </Suspense>
  );
  return {
    actionsOf,
    copyRows,
    dialogs: (
      <>
        {copyDialog}
        {dialog}
        {code}
      </>
    ),
  };
}
