type Formatter = (value: unknown, language: string | undefined) => string;

/** Used as `{{n, integer}}`; grouping is the same in both languages. */
export const formatters: Record<string, Formatter> = {
  integer: (value) => new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 }).format(Number(value)),
  ratio: (value) =>
    new Intl.NumberFormat('en-US', { maximumFractionDigits: 6, useGrouping: false }).format(Number(value)),
};
