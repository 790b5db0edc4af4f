import type { Approval } from '@tollgate/contracts/api/approval';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { selectUser } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import { DefinitionList } from '../../components/layout/definition-list.js';
import { OwnWords } from '../../components/texts/own-words.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { Tag } from '../../components/texts/tag.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import { TimeText } from '../../components/texts/time-text.js';
import { ArrivedMark } from './arrived.js';

const colors = { pending: 'blue', approved: 'green', refused: 'red', withdrawn: 'grey', expired: 'amber' } as const;

function Status({ status }: Approval) {
  const { t } = useTranslation('approval');
  return <Tag color={colors[status]}>{t(`status.${status}`)}</Tag>;
}

function Kind({ id, kind }: Approval) {
  const { t } = useTranslation('approval');
  return (
    <>
      <ArrivedMark id={id} />
      {t(`kind.${kind}`)}
    </>
  );
}

/** An administrator by id, or "you" for the reader. */
function Person({ id }: { id: number }) {
  const { t } = useTranslation('approval');
  const me = useAppSelector(selectUser)?.id;
  return id === me ? t('me') : <Link to={`/user/edit/${id}`}>{id}</Link>;
}

/** The user whose wallet changes; a correction run may concern several users. */
function Concerned({ id }: { id: number }) {
  const { t } = useTranslation('approval');
  return id === 0 ? t('severalUsers') : <Link to={`/user/edit/${id}`}>{id}</Link>;
}

/** The texts that the row truncates, in full. */
export function ApprovalDetail({ approval }: { approval: Approval }) {
  const { t } = useTranslation('approval');
  const { subject, reason, note } = approval;
  const texts = [
    ['subject', subject],
    ['reason', reason],
    ['note', note],
  ] as const;
  const said = texts.filter(([, text]) => text !== '');
  return (
    <DefinitionList
      rows={[
        ...said.map(([id, text]) => ({ label: t(`column.${id}`), value: <OwnWords text={text} /> })),
        { label: t('column.expires'), value: <TimeText at={approval.expire_time} /> },
      ]}
    />
  );
}

export const ACTIONS_PX = 108;

export const approvalColumns = foldColumns<Approval>(
  [
    { id: 'id', header: 'approval:column.id', width: 60, least: 48, cell: ({ id }) => `#${id}` },
    {
      id: 'kind',
      header: 'approval:column.kind',
      // Fits the longest kind with the mark of a new request.
      width: 124,
      least: 112,
      mobile: 'title',
      cell: (row) => <Kind {...row} />,
    },
    { id: 'status', header: 'approval:column.status', width: 100, mobile: 'badge', cell: (row) => <Status {...row} /> },
    {
      id: 'user',
      header: 'approval:column.user',
      width: 76,
      least: 64,
      mobile: 'field',
      cell: ({ user_id: id }) => <Concerned id={id} />,
    },
    {
      id: 'change',
      header: 'approval:column.change',
      width: 108,
      least: 84,
      align: 'right',
      mobile: 'field',
      cell: ({ change }) => <QuotaText quota={change} signed />,
    },
    {
      id: 'reason',
      header: 'approval:column.reason',
      width: 'grow',
      least: 104,
      mobile: 'field',
      text: ({ reason, subject }) => [subject, reason].filter(Boolean).join(': '),
      cell: ({ reason, subject }) => (
        <>
          {subject !== '' && <Tag>{subject}</Tag>} {reason}
        </>
      ),
    },
    {
      id: 'subject',
      header: 'approval:column.subject',
      width: 150,
      defaultHidden: true,
      text: (row) => row.subject,
      cell: (row) => row.subject,
    },
    {
      id: 'requester',
      header: 'approval:column.requester',
      width: 92,
      cell: ({ requester_id: id }) => <Person id={id} />,
    },
    {
      id: 'created',
      header: 'approval:column.created',
      width: 158,
      least: 140,
      cell: ({ created_time: at }) => <TimeText at={at} />,
    },
    {
      id: 'expires',
      header: 'approval:column.expires',
      width: 160,
      defaultHidden: true,
      cell: ({ expire_time: at }) => <TimeText at={at} />,
    },
    {
      id: 'decider',
      header: 'approval:column.decider',
      width: 104,
      least: 86,
      cell: ({ decider_id: id }) => id !== 0 && <Person id={id} />,
    },
    {
      id: 'note',
      header: 'approval:column.note',
      told: true,
      defaultHidden: true,
      width: 114,
      least: 72,
      text: ({ note }) => note,
      cell: ({ note }) => note,
    },
  ],
  ['user', 'requester', 'created', 'decider'],
  { beside: ACTIONS_PX, opens: true },
);
