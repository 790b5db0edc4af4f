import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { CreatePasskey, FactorStatus, Passkey, Proof, TotpSetup } from '@tollgate/contracts/api/second-factor';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isApiError } from '../../api/api-error.js';
import { baseApi } from '../../api/base-api.js';
import {
  useBeginPasskeyMutation,
  useCreatePasskeyMutation,
  useDeletePasskeyMutation,
  useGetFactorsQuery,
  useListPasskeysQuery,
  useRenewRecoveryCodesMutation,
  useSetUpTotpMutation,
} from '../../api/factor.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Callout } from '../../components/feedback/callout.js';
import { Card } from '../../components/layout/card.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { canUsePasskeys, makePasskey, wasGivenUp } from '../../components/sign-in/passkey-call.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { ErrorState } from '../../components/feedback/states.js';
import { Tag } from '../../components/texts/tag.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { PasskeyList } from './passkey-list.js';
import { takeOnce } from './take-once.js';
import { useProof } from './use-proof.js';

const SetupDialog = lazyPart(async () => (await import('./totp-dialogs.js')).SetupDialog);
const DisableDialog = lazyPart(async () => (await import('./totp-dialogs.js')).DisableDialog);
const RecoveryDialog = lazyPart(async () => (await import('./recovery-dialog.js')).RecoveryDialog);

/** The initial name of a new passkey in the list; the user may change it. */
const deviceName = (): string =>
  ['iPhone', 'iPad', 'Android', 'Windows', 'Mac', 'Linux'].find((name) => navigator.userAgent.includes(name)) ??
  'Passkey';

function useFactorActions(onCodes: (codes: string[]) => void, onPending: (pending: boolean) => void) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const { prove, running, failed, dialog } = useProof();
  const [setup, setSetup] = useState<TotpSetup>();
  const [broken, setBroken] = useState(false);
  const [setUp] = useSetUpTotpMutation();
  const [renew] = useRenewRecoveryCodesMutation();
  const [begin] = useBeginPasskeyMutation();
  const [create] = useCreatePasskeyMutation();
  const [remove] = useDeletePasskeyMutation();

  /** Each step forgets what the browser refused in an earlier one. */
  const step: typeof prove = (title, work) => {
    setBroken(false);
    return prove(title, work);
  };
  /** Runs a step of an enrolment, which is over if the step fails. */
  const enrol = async (work: () => Promise<void>) => {
    onPending(true);
    try {
      await work();
    } catch (error) {
      onPending(false);
      throw error;
    }
  };
  const makeKey = async (proof: Proof) => {
    const response = await makePasskey(await begin(proof).unwrap());
    const made = await takeOnce(create({ name: deviceName(), response } as CreatePasskey));
    dispatch(toastShown({ severity: 'success', key: 'personal:factors.added' }));
    onCodes(made.recovery_codes);
  };
  const addPasskey = async (proof: Proof) => {
    try {
      await enrol(() => makeKey(proof));
    } catch (error) {
      if (isApiError(error)) throw error;
      setBroken(!wasGivenUp(error));
    }
  };
  return {
    setup,
    endSetup: () => setSetup(undefined),
    broken,
    running,
    failed,
    dialog,
    beginTotp: () => step(t('factors.setUp'), (proof) => enrol(async () => setSetup(await takeOnce(setUp(proof))))),
    renew: () => step(t('factors.renew'), async (proof) => onCodes((await takeOnce(renew(proof))).recovery_codes)),
    addPasskey: () => step(t('factors.addPasskey'), addPasskey),
    deletePasskey: ({ id }: Passkey) =>
      step(t('factors.delete'), async (proof) => {
        await remove({ id, ...proof }).unwrap();
        dispatch(toastShown({ severity: 'success', key: 'personal:factors.deleted' }));
      }),
  };
}

type Actions = ReturnType<typeof useFactorActions>;

function AppLine({ status, actions, onDisable }: { status: FactorStatus; actions: Actions; onDisable: () => void }) {
  const { t } = useTranslation('personal');
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap', width: '100%' }}>
      <Box sx={{ flex: '1 1 240px' }}>
        <Typography variant="body2">
          {t('factors.app')} {status.totp && <Tag color="green">{t('factors.on')}</Tag>}
        </Typography>
        <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }}>
          {status.totp ? t('factors.codesLeft', { count: status.recovery_codes }) : t('factors.appHint')}
        </Typography>
      </Box>
      {(status.totp || status.passkeys > 0) && (
        <BusyButton busy={actions.running === t('factors.renew')} onClick={() => void actions.renew()}>
          {t('factors.renew')}
        </BusyButton>
      )}
      {status.totp ? (
        <BusyButton variant="outlined" color="error" onClick={onDisable}>
          {t('factors.disable')}
        </BusyButton>
      ) : (
        <BusyButton
          variant="outlined"
          busy={actions.running === t('factors.setUp')}
          onClick={() => void actions.beginTotp()}
        >
          {t('factors.setUp')}
        </BusyButton>
      )}
    </Box>
  );
}

function PasskeyPart({ actions }: { actions: Actions }) {
  const { t } = useTranslation('personal');
  const { data: passkeys, error, refetch } = useListPasskeysQuery();
  const { confirm, dialog } = useConfirm();
  const ask = (passkey: Passkey) =>
    confirm({
      title: t('factors.deleteTitle', { name: passkey.name }),
      consequences: [t('factors.deleteBody')],
      confirm: { label: t('factors.delete'), danger: true },
      run: () => actions.deletePasskey(passkey),
    });
  return (
    <>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap', width: '100%' }}>
        <Box sx={{ flex: '1 1 240px' }}>
          <Typography variant="body2">{t('factors.passkeys')}</Typography>
          <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }}>
            {canUsePasskeys() ? t('factors.passkeyHint') : t('factors.noPasskeys')}
          </Typography>
        </Box>
        {canUsePasskeys() && (
          <BusyButton
            variant="outlined"
            busy={actions.running === t('factors.addPasskey')}
            onClick={() => void actions.addPasskey()}
          >
            {t('factors.addPasskey')}
          </BusyButton>
        )}
      </Box>
      {error != null && <ErrorState error={error} retry={() => void refetch()} />}
      {passkeys && passkeys.length > 0 && <PasskeyList passkeys={passkeys} onDelete={ask} />}
      {dialog}
    </>
  );
}

interface FactorsCardProps {
  /** The operator requires a second factor, and all other pages are closed until the user has one. */
  demanded: boolean;
  /**
   * Called with true when an enrolment begins: it ends with recovery codes that are shown once, so the card must stay
   * on the page until then. Called with false when it is over, or failed or was given up.
   */
  onPending?: (pending: boolean) => void;
}

/** Two-step verification and passkeys. */
export function FactorsCard({ demanded, onPending }: FactorsCardProps) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const { data: status, error, refetch } = useGetFactorsQuery();
  const [codes, setCodes] = useState<string[]>([]);
  const [disabling, setDisabling] = useState(false);
  /**
   * Fetches the user only after the recovery codes were seen, because the fresh user opens the rest of the console and
   * removes this page.
   */
  const settle = () => {
    dispatch(baseApi.util.invalidateTags(['Self']));
    onPending?.(false);
  };
  const show = (fresh: string[]) => (fresh.length > 0 ? setCodes(fresh) : settle());
  const actions = useFactorActions(show, (pending) => onPending?.(pending));
  return (
    <Card title={t('factors.title')}>
      <Stack spacing={1.5} sx={{ alignItems: 'flex-start' }}>
        {demanded && <Callout severity="warning">{t('factors.demanded')}</Callout>}
        {error ? <ErrorState error={error} retry={() => void refetch()} /> : !status && <Placeholder />}
        {status && <AppLine status={status} actions={actions} onDisable={() => setDisabling(true)} />}
        {status && <PasskeyPart actions={actions} />}
        {actions.broken && (
          <Callout severity="error" role="alert">
            {t('factors.broken')}
          </Callout>
        )}
        {actions.failed !== undefined && <Refusal error={actions.failed} />}
      </Stack>
      {actions.dialog}
      <Suspense fallback={null}>
        {actions.setup && (
          <SetupDialog
            setup={actions.setup}
            onClose={() => {
              actions.endSetup();
              onPending?.(false);
            }}
            onDone={(fresh) => {
              actions.endSetup();
              show(fresh);
            }}
          />
        )}
        {disabling && <DisableDialog onClose={() => setDisabling(false)} />}
        {codes.length > 0 && (
          <RecoveryDialog
            codes={codes}
            onClose={() => {
              setCodes([]);
              settle();
            }}
          />
        )}
      </Suspense>
    </Card>
  );
}
