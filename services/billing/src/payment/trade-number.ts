import { LETTERS_AND_DIGITS, randomText } from '@tollgate/chassis';

/** An order number in the format of the reference system. A unique constraint prevents duplicates. */
export const newTradeNo = (userId: number, seconds: number): string =>
  `USR${userId}NO${randomText(6, LETTERS_AND_DIGITS)}${seconds}`;

/** Whether a text has the form of our order numbers; tells our orders from those of other senders. */
export const isTradeNo = (text: string): boolean => /^USR\d+NO/.test(text);
