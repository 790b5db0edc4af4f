import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import Typography from '@mui/material/Typography';
import type { BindingName } from '@tollgate/contracts/api/oauth';
import type { User } from '@tollgate/contracts/api/user';
import { useTranslation } from 'react-i18next';
import type { TextKey } from '../../app/i18n/text-keys.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import {
  useEndUserSessionMutation,
  useListUserSessionsQuery,
  useRemoveFactorsMutation,
  useUnbindUserMutation,
} from '../../api/user.api.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { SessionList } from '../../components/account/session-list.js';
import { ErrorState } from '../../components/feedback/states.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';

const bindings = [
  ['github_id', 'github'],
  ['oidc_id', 'oidc'],
  ['wechat_id', 'wechat'],
  ['email', 'email'],
  ['telegram_id', 'telegram'],
  ['linux_do_id', 'linuxdo'],
] as const satisfies readonly (readonly [keyof User, BindingName])[];

/** Shows a toast of success. Errors are shown by the dialog that confirmed the action. */
function useDone() {
  const dispatch = useAppDispatch();
  return (key: TextKey) => dispatch(toastShown({ severity: 'success', key }));
}

function Title({ text }: { text: string }) {
  return <Divider sx={{ typography: 'caption', color: 'text.tertiary' }}>{text}</Divider>;
}

function Bindings({ user }: { user: User }) {
  const { t } = useTranslation('user');
  const { confirm, dialog } = useConfirm();
  const done = useDone();
  const [unbind] = useUnbindUserMutation();
  const ask = (binding: BindingName, label: string) =>
    confirm({
      title: t('access.unbindTitle', { name: label }),
      consequences: [t('access.unbindBody', { name: user.username })],
      confirm: { label: t('access.unbind'), danger: true },
      run: async () => {
        await unbind({ id: user.id, binding }).unwrap();
        done('user:access.unbound');
      },
    });
  return (
    <>
      <Title text={t('bindings.title')} />
      <Box
        component="dl"
        sx={{
          display: 'grid',
          gridTemplateColumns: 'max-content 1fr max-content',
          columnGap: 2,
          rowGap: 1,
          m: 0,
          alignItems: 'center',
          '& dd': { m: 0 },
        }}
      >
        {bindings.map(([field, binding]) => (
          <Box key={field} sx={{ display: 'contents' }}>
            <Typography component="dt" variant="body2" sx={{ color: 'text.secondary' }}>
              {t(`bindings.${field}`)}
            </Typography>
            <Typography component="dd" variant="body2" sx={{ overflowWrap: 'anywhere' }}>
              {user[field] || t('bindings.none')}
            </Typography>
            <Box component="dd">
              {user[field] !== '' && (
                <Button
                  size="small"
                  aria-label={`${t('access.unbind')} ${t(`bindings.${field}`)}`}
                  onClick={() => ask(binding, t(`bindings.${field}`))}
                >
                  {t('access.unbind')}
                </Button>
              )}
            </Box>
          </Box>
        ))}
      </Box>
      {dialog}
    </>
  );
}

function SecondFactor({ user }: { user: User }) {
  const { t } = useTranslation('user');
  const { confirm, dialog } = useConfirm();
  const done = useDone();
  const [remove] = useRemoveFactorsMutation();
  const ask = () =>
    confirm({
      title: t('access.factorTitle', { name: user.username }),
      consequences: [t('access.factorBody'), t('access.factorSessions')],
      confirm: { label: t('access.removeFactor'), danger: true },
      run: async () => {
        await remove(user.id).unwrap();
        done('user:access.factorRemoved');
      },
    });
  return (
    <>
      <Title text={t('access.factor')} />
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <Typography variant="body2" sx={{ flex: 1 }}>
          {t(user.two_factor === true ? 'access.factorOn' : 'access.factorOff')}
        </Typography>
        {user.two_factor === true && (
          <Button size="small" color="error" onClick={ask}>
            {t('access.removeFactor')}
          </Button>
        )}
      </Box>
      {dialog}
    </>
  );
}

function Sessions({ user }: { user: User }) {
  const { t } = useTranslation('user');
  const { confirm, dialog } = useConfirm();
  const done = useDone();
  const { data, error, refetch } = useListUserSessionsQuery(user.id);
  const [end] = useEndUserSessionMutation();
  const ask = (session?: number) =>
    confirm({
      title: t(session === undefined ? 'access.endAllTitle' : 'access.endTitle', { name: user.username }),
      consequences: [t('access.endBody')],
      confirm: { label: t(session === undefined ? 'access.endAll' : 'access.end'), danger: true },
      run: async () => {
        await end({ id: user.id, session }).unwrap();
        done('user:access.ended');
      },
    });
  return (
    <>
      <Title text={t('access.sessions')} />
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : !data && <Placeholder />}
      {data && data.length === 0 && (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('access.noSessions')}
        </Typography>
      )}
      {data && data.length > 0 && (
        <SessionList sessions={data} onEnd={ask}>
          <Button variant="outlined" size="small" onClick={() => ask()}>
            {t('access.endAll')}
          </Button>
        </SessionList>
      )}
      {dialog}
    </>
  );
}

/** The bindings, second factors and sessions of an account. */
export function AccountAccess({ user }: { user: User }) {
  return (
    <>
      <Bindings user={user} />
      <SecondFactor user={user} />
      <Sessions user={user} />
    </>
  );
}
