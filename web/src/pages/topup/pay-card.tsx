import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import type { TopUpPayReply } from '@tollgate/contracts/api/top-up';
import { useEffect, useRef, useState } from 'react';
import i18n from 'i18next';
import { useTranslation } from 'react-i18next';
import { useLazyQuoteTopUpQuery, usePayTopUpMutation, useQuoteTopUpQuery } from '../../api/top-up.api.js';
import type { ApiError } from '../../api/api-error.js';
import { describeError, isApiError } from '../../api/api-error.js';
import { selectStatus } from '../../app/slices/status.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Callout } from '../../components/feedback/callout.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { Card } from '../../components/layout/card.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { Field } from '../../components/forms/field.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import { useSettled } from '../../components/basics/use-settled.js';
import { openTab } from '../../components/basics/open-tab.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { goToPay } from './go-to-pay.js';

const TYPING_MS = 400;

/** The least amount: in USD, or in quota units if amounts are not shown as currency. */
function useLeast(): number {
  const { min_topup: least = 1 } = useAppSelector(selectStatus);
  const { perUnit, inCurrency } = useQuotaScale();
  return inCurrency ? least : Math.ceil(least * perUnit);
}

const parseAmount = (text: string): number | undefined =>
  /^-?\d{1,12}$/.test(text.trim()) ? Number(text.trim()) : undefined;

/** A refusal has its reason alone; other failures are described as errors already. */
const refusalOf = (error: ApiError): string =>
  error.status === 200 ? i18n.t('errors.other', { message: describeError(error) }) : describeError(error);

/** The price as the server computes it; the browser never computes one. */
function Cost({ amount }: { amount: number | undefined }) {
  const { t } = useTranslation('topup');
  const asked = useSettled(amount, TYPING_MS);
  const { currentData, error } = useQuoteTopUpQuery(asked ?? 0, { skip: asked === undefined });
  if (error && asked === amount) return <Callout severity="warning">{refusalOf(error as ApiError)}</Callout>;
  if (amount === undefined) return null;
  const known = currentData !== undefined && asked === amount;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 24 }} role="status">
      {known ? t('pay.cost', { amount: currentData }) : t('pay.costUnknown')}
      {!known && <Placeholder sx={{ height: 16, width: 64 }} />}
    </Box>
  );
}

/** The gateway supports more payment methods; of those only Alipay (`zfb`) is offered here. */
type Method = 'zfb' | 'stripe';

const isOfAmount = (error: ApiError): boolean => (error.fields ?? []).some(({ path }) => path === 'amount');

function usePayment(onBegun: (tradeNo: string) => void) {
  const { t } = useTranslation('topup');
  const [pay] = usePayTopUpMutation();
  const { confirm, dialog } = useConfirm();
  const [refused, setRefused] = useState<ApiError>();
  const ask = (amount: number, method: Method, cost: string | undefined) =>
    confirm({
      title: t('pay.ask'),
      consequences: [
        t('pay.count', { amount }),
        cost === undefined ? t('pay.cardCost') : t('pay.cost', { amount: cost }),
        t('pay.sure'),
      ],
      confirm: { label: t('pay.yes') },
      run: async () => {
        setRefused(undefined);
        // Opened during the click, because browsers block tabs that are opened later as pop-ups.
        const tab = openTab();
        const { data, error } = await pay({ amount, payment_method: method });
        if (!data) {
          tab?.close();
          const failure = isApiError(error) ? error : new Error(t('pay.failed'));
          if (!isApiError(failure) || !isOfAmount(failure)) throw failure;
          // The field is behind the dialog, which closes now.
          setRefused(failure);
          return;
        }
        goToPay(data as TopUpPayReply, tab);
        onBegun(data.trade_no);
      },
    });
  return { ask, dialog, refused };
}

interface PayFormProps {
  online: boolean;
  cards: boolean;
  onBegun: (tradeNo: string) => void;
}

function PayForm({ online, cards, onBegun }: PayFormProps) {
  const { t } = useTranslation('topup');
  const least = useLeast();
  const [text, setText] = useState('');
  const amount = parseAmount(text === '' ? String(least) : text);
  const payable = amount !== undefined && amount >= least ? amount : undefined;
  const dispatch = useAppDispatch();
  const [quote] = useLazyQuoteTopUpQuery();
  const { ask, dialog, refused } = usePayment(onBegun);
  const { field, rest } = useRefusedInputs(refused, { amount: text });
  const problem = amount === undefined ? t('pay.bad') : t('pay.below', { min: least });
  const methods: Method[] = [...(online ? (['zfb'] as const) : []), ...(cards ? (['stripe'] as const) : [])];
  const latest = useRef(payable);
  useEffect(() => {
    latest.current = payable;
  }, [payable]);
  // Asked anew, because the price may have changed since it was shown, or not be shown yet.
  const askWithCost = useOneAtATime(async () => {
    if (payable === undefined) return;
    const { data, error } = await quote(payable);
    // The amount may have been changed while the server was asked.
    if (latest.current !== payable) return;
    if (data !== undefined) ask(payable, 'zfb', data);
    else dispatch(toastShown({ severity: 'error', error: error as ApiError }));
  });
  const choose = (method: Method) => {
    if (method === 'zfb') askWithCost.start();
    else if (payable !== undefined) ask(payable, method, undefined);
  };
  return (
    <Stack spacing={2}>
      <Field
        label={t('pay.amount')}
        placeholder={String(least)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        inputMode="numeric"
        autoComplete="off"
        {...field('amount', payable === undefined ? problem : undefined, t('pay.hint', { min: least }))}
      />
      {rest !== undefined && <Refusal error={rest} />}
      {online && <Cost amount={payable} />}
      <Stack direction="row" spacing={1} sx={{ flexWrap: 'wrap', rowGap: 1 }}>
        {methods.map((method, index) => (
          <DeniableButton
            key={method}
            variant={index === 0 ? 'contained' : 'outlined'}
            denied={payable === undefined ? problem : undefined}
            busy={askWithCost.busy}
            onClick={() => choose(method)}
          >
            {t(`pay.${method}`)}
          </DeniableButton>
        ))}
      </Stack>
      {dialog}
    </Stack>
  );
}

export function PayCard({ onBegun }: Pick<PayFormProps, 'onBegun'>) {
  const { t } = useTranslation('topup');
  const { enable_online_topup: online = false, enable_card_topup: cards = false } = useAppSelector(selectStatus);
  return (
    <Card title={t('pay.title')}>
      {online || cards ? (
        <PayForm online={online} cards={cards} onBegun={onBegun} />
      ) : (
        <Callout severity="info">{t('pay.off')}</Callout>
      )}
    </Card>
  );
}
