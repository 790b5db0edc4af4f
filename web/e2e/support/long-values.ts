/** The longest values that the console must be able to show. */
export const HAN_64 = '名称很长没有空格'.repeat(8);
export const LATIN_64 = 'ANameWithoutAnySpaceInIt'.repeat(3).slice(0, 64);
export const MARKUP = '<b>bold</b> {{x}} 🚀👩‍👩‍👧 & "quoted"';
export const MODEL_80 = 'provider/a-model-of-eighty-characters-with-a-date-'.padEnd(80, '2026-');
export const URL_500 = `https://gateway.example.com/${'a-path-without-end/'.repeat(40)}`.slice(0, 500);
export const ERROR_2000 =
  `上游返回错误：${MARKUP} {"error":{"message":"the upstream refused the request","path":"${'/v1/chat'.repeat(260)}`.slice(
    0,
    2000,
  );
export const MOST_UNITS = Number.MAX_SAFE_INTEGER;
export const DEBT = -1_234_567_890_123;
/** Quota of one unit, which is $0.000002 in the tests. */
export const ONE_UNIT = 1;

/** A long name for the row of this number, of each kind in turn. */
export const longName = (index: number): string =>
  [HAN_64, LATIN_64, MARKUP, `${index}-${LATIN_64}`.slice(0, 64)][index % 4] ?? HAN_64;

export const GROUPS_40: string[] = Array.from({ length: 40 }, (_, index) =>
  index === 0 ? 'default' : index === 1 ? HAN_64 : `group-${index}-of-customers`,
);
export const MODELS_300: string[] = [
  MODEL_80,
  MARKUP.replaceAll(',', ''),
  // Belongs to a well-known family of models.
  `gpt-${MODEL_80}`.slice(0, 80),
  ...Array.from({ length: 297 }, (_, index) => `model-family-${index}-preview`),
];
