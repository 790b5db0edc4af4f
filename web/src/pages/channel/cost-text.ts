import type { ChannelCosts, SaveCosts } from '@tollgate/contracts/api/cost';

/** The name for all models without a price of their own. */
const ALL_MODELS = '*';

type Current = ChannelCosts['current'];
type Costs = SaveCosts['costs'];

/** `{"*": {"ratio": 0.7}, "gpt-4o": {"input": 2.5, "output": 10}}` */
export const textOfCosts = (current: Current): string =>
  current.length === 0
    ? ''
    : JSON.stringify(Object.fromEntries(current.map(({ model, terms }) => [model || ALL_MODELS, terms])), undefined, 2);

/** Parses the text; the terms themselves are validated by the server. */
export function costsOfText(text: string): Costs {
  const table = JSON.parse(text.trim() || '{}') as Record<string, Costs[number]['terms']>;
  return Object.entries(table).map(([model, terms]) => ({ model: model === ALL_MODELS ? '' : model, terms }));
}

/** `input 2.5, output 10` */
export const termsText = (terms: Current[number]['terms']): string =>
  Object.entries(terms ?? {})
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
