import { parse } from 'node:querystring';

/**
 * The parameters of a query by their decoded names. Of a repeated one the first counts, as in the documented server; otherwise a filter
 * that is given twice would arrive as a list that no schema knows, and be refused or not filter.
 */
export const parametersOf = (query: string): Record<string, string> =>
  Object.fromEntries(Object.entries(parse(query)).map(([name, value]) => [name, firstOf(value)]));

const firstOf = (value: string | string[] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? '';
