import { useTranslation } from 'react-i18next';
import { Tag } from '../../components/texts/tag.js';

/** What actions begin with, as the filter offers them. */
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
] as const;
/** What follows; anything else stands as the server names it. */
const verbs = [
  ...(['create', 'created', 'update', 'updated', 'delete', 'deleted', 'status', 'clear', 'cleared'] as const),
  ...(['enable', 'enabled', 'disable', 'disabled', 'promote', 'demote', 'adjust', 'refund', 'budget'] as const),
  ...(['request', 'approve', 'refuse', 'withdraw', 'close', 'correct', 'key-switched'] as const),
  ...(['unbind', 'remove-factors', 'let-in', 'end-sessions', 'export', 'erase', 'import', 'cost'] as const),
] as const;

/** What was done, in words: of which kind, and what of it. */
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
