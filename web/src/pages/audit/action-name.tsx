import { useTranslation } from 'react-i18next';
import type { AuditAction } from '@tollgate/contracts';
import { Tag } from '../../components/texts/tag.js';

/** The kinds that action names begin with; the filter offers these. */
export const actionKinds = [
  'option',
  'channel',
  'tag',
  'user',
  'quota',
  'redemption',
  'top-up',
  'log',
  'token',
  'approval',
  'period',
  'charges',
  'invoice',
  'price',
] as const;
/** The verbs that follow the kind in an action name. An action with another verb is shown by its name on the wire. */
const verbs = [
  ...(['create', 'created', 'update', 'updated', 'delete', 'deleted', 'status', 'clear', 'cleared'] as const),
  ...(['enable', 'enabled', 'disable', 'disabled', 'promote', 'demote', 'adjust', 'refund', 'budget'] as const),
  ...(['request', 'approve', 'refuse', 'withdraw', 'close', 'correct', 'key-switched'] as const),
  ...(['unbind', 'remove-factors', 'let-in', 'end-sessions', 'export', 'erase', 'import', 'cost'] as const),
  ...(['test', 'balance', 'publish'] as const),
] as const;

type Kind = (typeof actionKinds)[number];
type Verb = (typeof verbs)[number] | 'tagged' | 'rebuilt';
/** Actions that are not called by one of the kinds and verbs above; the compiler names one that is missing here. */
const others: Record<Exclude<AuditAction, `${Kind}-${(typeof verbs)[number]}`>, [Kind, Verb]> = {
  'abilities-rebuilt': ['channel', 'rebuilt'],
  'channels-tagged': ['channel', 'tagged'],
};

function wordsOf(action: string): [Kind?, Verb?] {
  if (Object.hasOwn(others, action)) return others[action as keyof typeof others];
  const kind = actionKinds.find((name) => action.startsWith(`${name}-`));
  return [kind, kind && verbs.find((name) => action === `${kind}-${name}`)];
}

/** An audited action in words: its kind as a tag, then its verb. */
export function ActionName({ action }: { action: string }) {
  const { t } = useTranslation('audit');
  const [kind, verb] = wordsOf(action);
  return (
    <span title={action}>
      {kind && <Tag>{t(`kind.${kind}`)}</Tag>} {verb ? t(`verb.${verb}`) : action}
    </span>
  );
}
