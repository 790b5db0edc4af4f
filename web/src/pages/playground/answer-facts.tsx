import Box from '@mui/material/Box';
import { skipToken } from '@reduxjs/toolkit/query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { CopyButton } from '../../components/texts/copy-button.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { QuotaText } from '../../components/money/quota-text.js';
import type { Facts } from './conversation.js';
import { MOST_ASKS } from './conversation.js';
import type { Bill } from '../../api/log.api.js';
import { useGetBillQuery } from '../../api/log.api.js';

const ASK_MS = 1000;
const SLOWEST_MS = 8000;

/** Most bills arrive at once, so the pauses grow. */
const pauseAfter = (asked: number): number => Math.min(ASK_MS * 1.5 ** (asked - 1), SLOWEST_MS);

/**
 * Asks for the bill of a request, which is booked after the answer, until it arrives or was asked for often enough. A
 * bill that is known is not asked for.
 */
function useBill({ requestId, bill, billAsks = MOST_ASKS }: Facts, onBill: (bill: Bill) => void) {
  const isOpen = requestId !== undefined && !bill && billAsks > 0;
  const { data, refetch, isFetching, isUninitialized } = useGetBillQuery(isOpen ? requestId : skipToken);
  /** The first time is when the answer is shown. */
  const [asked, setAsked] = useState(1);
  const isMissing = isOpen && !data;
  const asksAgain = isMissing && asked < billAsks;
  useEffect(() => {
    if (!asksAgain) return;
    const timer = setTimeout(() => {
      setAsked(asked + 1);
      if (!isUninitialized) void refetch();
    }, pauseAfter(asked));
    return () => clearTimeout(timer);
  }, [asksAgain, asked, refetch, isUninitialized]);
  const latest = useRef(onBill);
  latest.current = onBill;
  useEffect(() => {
    if (isOpen && data) latest.current(data);
  }, [isOpen, data]);
  return { bill: bill ?? (isOpen ? data : undefined), waiting: asksAgain || (isMissing && isFetching) };
}

function useDuration() {
  const { t } = useTranslation('playground');
  return (ms: number) =>
    ms < 1000 ? t('time.ms', { n: Math.round(ms) }) : t('time.seconds', { n: (ms / 1000).toFixed(2) });
}

/** Tokens, cost, times and the id of one answer. */
export function AnswerFacts({ facts, onBill }: { facts: Facts; onBill: (bill: Bill) => void }) {
  const { t } = useTranslation('playground');
  const duration = useDuration();
  const { requestId, firstMs, totalMs, stopped, interrupted } = facts;
  const { bill, waiting } = useBill(facts, onBill);
  return (
    <Box
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'center',
        columnGap: 1.5,
        typography: 'caption',
        color: 'text.tertiary',
      }}
    >
      {stopped && <span>{t('facts.stopped')}</span>}
      {bill && (
        <>
          <span>
            {t('facts.tokens', {
              prompt: formatUnits(bill.promptTokens),
              completion: formatUnits(bill.completionTokens),
            })}
          </span>
          <span>
            {t('facts.cost')} <QuotaText quota={bill.quota} digits={6} />
          </span>
        </>
      )}
      {!bill && waiting && <span>{t('facts.billing')}</span>}
      {interrupted && !bill && !waiting && (
        // In another tab, because the conversation is kept only with its page.
        <Link
          to={requestId ? `/log?request_id=${encodeURIComponent(requestId)}` : '/log'}
          target="_blank"
          rel="noopener"
        >
          {t('facts.inLog')}
        </Link>
      )}
      {firstMs !== undefined && <span>{t('facts.first', { time: duration(firstMs) })}</span>}
      {totalMs !== undefined && <span>{t('facts.total', { time: duration(totalMs) })}</span>}
      {requestId && (
        <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', minWidth: 0 }}>
          <Box
            component="span"
            title={requestId}
            sx={{ maxWidth: 160, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
          >
            {t('state.requestId', { id: requestId })}
          </Box>
          <CopyButton text={requestId} label={t('state.copyRequestId')} />
        </Box>
      )}
    </Box>
  );
}
