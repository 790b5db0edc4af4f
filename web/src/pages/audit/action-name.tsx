import { useTranslation } from 'react-i18next';
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

/** An audited action in words: its kind as a tag, then its verb. */
export function ActionName({ action }: { action: string }) {
  const { t } = useTranslation('audit');
  const kind = actionKinds.find((name) => action.startsWith(name));
  const verb = kind && verbs.find((name) => action === `${kind}-${name}`);
  return (
    <span title={action}>
      {kind && <Tag>{t(`kind.${kind}`)}</Tag>} {verb ? t(`verb.${verb}`) : action}
    </span>
  );
}
