import { accessSync, constants, statSync } from 'node:fs';
import { z } from 'zod';

/**
 * The error of a value. It quotes the value, or the wrong part of it, so a variable that may contain a password or
 * another secret has a plain text as its error instead.
 */
const refused =
  (expected: string, wrongPart: (text: string) => string | undefined = (text) => text) =>
  ({ input }: { input?: unknown }): string =>
    `"${wrongPart(String(input))}" is not accepted, expected ${expected}`;

export const checked = (isAccepted: (text: string) => boolean, expected: string) =>
  z.string().refine(isAccepted, { error: refused(expected) });

const isWithin = (text: string, least: number, most: number): boolean =>
  text.trim() !== '' && Number(text) >= least && Number(text) <= most;

export const number = (least: number, most: number) =>
  checked((text) => isWithin(text, least, most), `a number from ${least} to ${most}`).transform(Number);

export const wholeNumber = (least: number, most: number) =>
  checked(
    (text) => isWithin(text, least, most) && Number.isInteger(Number(text)),
    `a whole number from ${least} to ${most}`,
  ).transform(Number);

export const oneOf = <const Word extends string>(...words: readonly Word[]) =>
  z.enum(words, { error: refused(`one of ${words.join(', ')}`) });

/** Accepts the spellings that other gateways use in their environment files: true and false, 1 and 0, on and off. */
export const truth = () => z.stringbool({ error: refused('true or false') });

export const pattern = (form: RegExp, expected: string) => checked((text) => form.test(text), expected);

/** A list whose error names the entry that is wrong. */
export const list = (wrongEntry: (text: string) => string | undefined, expected: string) =>
  z.string().refine((text) => wrongEntry(text) === undefined, { error: refused(expected, wrongEntry) });

/** Its error does not show the value, because a URL may contain a password. */
export const url = (protocol: RegExp, example: string) =>
  z.url({ protocol, error: `expected a URL like ${example}` }).optional();

/** Its error does not show the value. */
export const secret = (least: number) => z.string().min(least, `needs at least ${least} characters`);

/** Path of a file, or of a pipe, that must exist when the process starts. */
export const path = () => checked(isReadable, 'the path of a file that this process can read').optional();

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return !statSync(file).isDirectory();
  } catch {
    return false;
  }
}
