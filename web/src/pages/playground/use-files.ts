import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { attached } from './attachments.js';
import type { Attachment } from './conversation.js';
import type { ModelKind } from './model-kind.js';

/**
 * Files attached to the next message. Several selections are read one after the other; another kind of model accepts
 * other files.
 */
export function useFiles(kind: ModelKind) {
  const { t } = useTranslation('playground');
  const [files, setFiles] = useState<Attachment[]>([]);
  const [problem, setProblem] = useState<string>();
  /** How many selections are being read. */
  const [reading, setReading] = useState(0);
  const latest = useRef(files);
  const queue = useRef(Promise.resolve());
  const message = useRef(0);
  const put = (next: Attachment[], why?: string) => {
    latest.current = next;
    setFiles(next);
    setProblem(why);
  };
  /** Files that are still being read must not be attached to the message after this one. */
  const clear = () => {
    message.current += 1;
    put([]);
  };
  const forget = useRef(clear);
  forget.current = () => {
    const had = reading > 0 || latest.current.length > 0;
    clear();
    if (had) put([], t('filesGone'));
  };
  useEffect(() => forget.current(), [kind]);

  const take = async (picked: File[], of: number) => {
    const taken = await attached(picked, latest.current, kind).catch(() => ({ refused: 'badFile' }) as const);
    if (of !== message.current) return;
    if ('files' in taken) put(taken.files);
    else put(latest.current, t(taken.refused));
  };
  const add = (picked: File[]) => {
    const of = message.current;
    setReading((now) => now + 1);
    queue.current = queue.current.then(() => take(picked, of)).finally(() => setReading((now) => now - 1));
  };
  const remove = (file: Attachment) => put(latest.current.filter((one) => one !== file));
  return { files, problem, reading: reading > 0, add, remove, clear };
}
