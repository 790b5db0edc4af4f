import type { Drawing } from '@tollgate/contracts/api/task';
import { Role } from '@tollgate/contracts/roles';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import type { TagColor } from '../../app/palette.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import type { Column } from '../../components/tables/table-types.js';
import { ChannelTag, MoreText, ProgressBar, SpentTag } from '../../components/tasks/task-cells.js';
import type { DrawOpened } from '../../components/tasks/task-list.js';
import { OpenContext, secondsSpent } from '../../components/tasks/task-list.js';
import { FailureCell, OpenText } from '../../components/tasks/task-log.js';
import { Tag } from '../../components/texts/tag.js';
import { formatTime } from '../../components/basics/time-format.js';
import { TimeText } from '../../components/texts/time-text.js';

const PictureDialog = lazyPart(async () => (await import('./picture-dialog.js')).PictureDialog);

const MOST_SECONDS = 60;

const actionColors: Record<string, TagColor> = {
  IMAGINE: 'blue',
  UPSCALE: 'orange',
  VARIATION: 'purple',
  HIGH_VARIATION: 'purple',
  LOW_VARIATION: 'purple',
  PAN: 'cyan',
  DESCRIBE: 'yellow',
  BLEND: 'lime',
  UPLOAD: 'blue',
  SHORTEN: 'pink',
  REROLL: 'indigo',
  INPAINT: 'violet',
  ZOOM: 'teal',
  CUSTOM_ZOOM: 'teal',
  MODAL: 'green',
  SWAP_FACE: 'green',
};
const codes: Record<number, { word: 'none' | 'sent' | 'waiting' | 'repeated'; color: TagColor }> = {
  0: { word: 'none', color: 'yellow' },
  1: { word: 'sent', color: 'green' },
  21: { word: 'waiting', color: 'lime' },
  22: { word: 'repeated', color: 'orange' },
};
const statusColors: Record<string, TagColor> = {
  '': 'grey',
  NOT_START: 'grey',
  SUBMITTED: 'yellow',
  IN_PROGRESS: 'blue',
  MODAL: 'yellow',
  SUCCESS: 'green',
  FAILURE: 'red',
};
function ActionCell({ action }: Drawing) {
  const { t } = useTranslation('midjourney');
  const known = Object.hasOwn(actionColors, action);
  return (
    <Tag color={known ? actionColors[action] : undefined} title={known ? undefined : action}>
      {t(`type.${(known ? action : 'unknown') as 'IMAGINE'}`)}
    </Tag>
  );
}

function CodeCell({ code }: Drawing) {
  const { t } = useTranslation('midjourney');
  const known = codes[code];
  return (
    <Tag color={known?.color} title={known ? undefined : String(code)}>
      {t(`code.${known?.word ?? 'unknown'}`)}
    </Tag>
  );
}

function StatusCell({ status }: Drawing) {
  const { t } = useTranslation('midjourney');
  const known = Object.hasOwn(statusColors, status);
  return (
    <Tag color={known ? statusColors[status] : undefined} title={known ? undefined : status}>
      {t(`status.${(known ? status || 'SUBMITTING' : 'unknown') as 'SUCCESS'}`)}
    </Tag>
  );
}

function SpentCell({ submit_time: from, finish_time: to }: Drawing) {
  const { t } = useTranslation('midjourney');
  const seconds = secondsSpent(from, to, 1000);
  // No decimals from 100 seconds on.
  const n = seconds?.toFixed(seconds < 100 ? 1 : 0) ?? '';
  return <SpentTag seconds={seconds} most={MOST_SECONDS} text={t('seconds', { n })} />;
}

function ProgressCell({ progress, status }: Drawing) {
  const { t } = useTranslation('midjourney');
  return <ProgressBar progress={progress} failed={status === 'FAILURE'} label={t('column.progress')} />;
}

/** Draws the picture of a drawing above the page. */
export const pictureOf =
  (drawing: Drawing): DrawOpened =>
  (close) => <PictureDialog drawing={drawing} onClose={close} />;

function PictureCell({ drawing }: { drawing: Drawing }) {
  const { t } = useTranslation('midjourney');
  const open = useContext(OpenContext);
  if (drawing.image_url === '') return t('picture.none');
  return <MoreText text={t('picture.show')} onOpen={() => open(pictureOf(drawing))} />;
}

function TextCell({ text, part }: { text: string; part: 'prompt' | 'promptEn' }) {
  const { t } = useTranslation('midjourney');
  return <OpenText label={text} title={t(`column.${part}`)} />;
}

function ReasonCell({ drawing }: { drawing: Drawing }) {
  const { t } = useTranslation('midjourney');
  return <FailureCell task={drawing} title={t('column.reason')} />;
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

const columns: Column<Drawing>[] = [
  {
    id: 'time',
    header: 'midjourney:column.time',
    width: 148,
    least: 138,
    mobile: 'field',
    text: ({ submit_time: at }) => formatTime(seconds(at)),
    cell: ({ submit_time: at }) => <TimeText at={seconds(at)} />,
  },
  {
    id: 'spent',
    header: 'midjourney:column.spent',
    width: 80,
    least: 70,
    mobile: 'field',
    cell: (row) => <SpentCell {...row} />,
  },
  {
    id: 'channel',
    header: 'midjourney:column.channel',
    width: 78,
    least: 70,
    minRole: Role.admin,
    cell: ({ channel_id: id }) => <ChannelTag id={id} />,
  },
  {
    id: 'type',
    header: 'midjourney:column.type',
    width: 100,
    least: 88,
    mobile: 'title',
    cell: (row) => <ActionCell {...row} />,
  },
  {
    id: 'id',
    header: 'midjourney:column.id',
    width: 136,
    least: 86,
    mobile: 'title',
    text: ({ mj_id: id }) => id,
    cell: ({ mj_id: id }) => id || '—',
  },
  {
    id: 'code',
    header: 'midjourney:column.code',
    width: 80,
    least: 70,
    cell: (row) => <CodeCell {...row} />,
  },
  {
    id: 'status',
    header: 'midjourney:column.status',
    width: 84,
    least: 76,
    mobile: 'badge',
    cell: (row) => <StatusCell {...row} />,
  },
  {
    id: 'progress',
    header: 'midjourney:column.progress',
    width: 92,
    least: 80,
    mobile: 'field',
    cell: (row) => <ProgressCell {...row} />,
  },
  {
    id: 'picture',
    header: 'midjourney:column.picture',
    width: 78,
    least: 70,
    // On a card it is the visible action.
    only: 'wide',
    cell: (drawing) => <PictureCell drawing={drawing} />,
  },
  {
    id: 'prompt',
    header: 'midjourney:column.prompt',
    width: 110,
    least: 70,
    cell: ({ prompt }) => <TextCell text={prompt} part="prompt" />,
  },
  {
    id: 'promptEn',
    header: 'midjourney:column.promptEn',
    width: 96,
    // Fits its head.
    least: 84,
    cell: ({ prompt_en: text }) => <TextCell text={text} part="promptEn" />,
  },
  {
    id: 'reason',
    header: 'midjourney:column.reason',
    width: 'grow',
    // Fits the amount that was given back with some words of the reason before it.
    least: 134,
    mobile: 'field',
    cell: (drawing) => <ReasonCell drawing={drawing} />,
  },
];

const ACTIONS_PX = 64;
/** The order in which columns are added as the window gets wider. */
const order = ['reason', 'type', 'picture', 'prompt', 'spent', 'channel', 'code', 'promptEn'];

/** Administrators have one more column, so their window must be wider before the English prompt leaves the details of the row. */
export const drawingColumns = (admin: boolean): Column<Drawing>[] =>
  foldColumns(
    columns.filter(({ minRole = 0 }) => admin || minRole < Role.admin),
    order,
    { beside: ACTIONS_PX },
  );
