import { useState } from 'react';
import * as z from 'zod/mini';
import { useKept } from '../../components/forms/use-kept.js';
import type { Parameters } from './conversation.js';

const keptSchema = z.partial(
  z.object({
    group: z.string(),
    model: z.string(),
    temperature: z.number(),
    maxTokens: z.string(),
    system: z.string(),
    size: z.string(),
    voice: z.string(),
  } satisfies Record<keyof Parameters, unknown>),
);

/**
 * Keeps over a reload what the user has chosen (`choose`), but not what the page has chosen for them (`replace`), also where that has
 * replaced a choice of the user.
 */
export function useKeptParameters(change: (part: Partial<Parameters>) => void) {
  const [chosen, setChosen] = useState<Partial<Parameters>>({});
  const choose = (part: Partial<Parameters>) => {
    setChosen((now) => ({ ...now, ...part }));
    change(part);
  };
  const replace = (part: Partial<Parameters>) => {
    setChosen((now) => Object.fromEntries(Object.entries(now).filter(([name]) => !(name in part))));
    change(part);
  };
  useKept<z.infer<typeof keptSchema>>({
    id: 'parameters',
    typed: () => (Object.keys(chosen).length > 0 ? chosen : undefined),
    restore: choose,
    schema: keptSchema,
  });
  return { choose, replace };
}
