import { useRef } from 'react';
import * as z from 'zod/mini';
import { useKept } from './use-kept.js';

const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, '0')).join('');

const submissionSchema = z.object({ text: z.string(), key: z.string() });

/**
 * The `Idempotency-Key` of a submission: the same when the user presses the button again after a lost reply or a reload, another one as
 * soon as the content differs. (`randomUUID` is missing on pages without TLS.) Content with one of the `secrets` is not kept over a reload.
 */
export function useSubmissionKey(id: string, secrets: readonly string[] = []): (body: object) => string {
  const last = useRef<z.infer<typeof submissionSchema> & { isSecret?: boolean }>(undefined);
  useKept<z.infer<typeof submissionSchema>>({
    id: `submission-${id}`,
    typed: () => {
      if (last.current === undefined || last.current.isSecret) return undefined;
      const { text, key } = last.current;
      return { text, key };
    },
    schema: submissionSchema,
    restore: (kept) => (last.current ??= kept),
  });
  return (body) => {
    const text = JSON.stringify(body);
    const isSecret = secrets.some((name) => name in body);
    if (last.current?.text !== text) last.current = { text, key: randomKey(), isSecret };
    return last.current.key;
  };
}
