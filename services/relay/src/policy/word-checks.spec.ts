import { describe, expect, it } from '@jest/globals';
import type { OptionStore } from '@tollgate/chassis';
import { WordChecks } from './word-checks.js';

const values: Record<string, unknown> = {
  CheckSensitiveEnabled: true,
  CheckSensitiveOnPromptEnabled: true,
  SensitiveWords: ['forbidden', '禁词'],
};
const checks = new WordChecks({ get: (key: string) => values[key] } as unknown as OptionStore);
const finds = (text: string): boolean => checks.findsInPrompt(() => text);

describe('the check of prompts', () => {
  it.each([0, 65_530, 65_535, 65_536, 131_070])('finds a word behind %i characters', (before) => {
    expect(finds(`${'x'.repeat(before)}forbidden`)).toBe(true);
    expect(finds(`${'字'.repeat(before)}禁词`)).toBe(true);
    expect(finds(`${'x'.repeat(before)}forbidde`)).toBe(false);
  });

  it('finds a word whose letters are far apart, with invisible characters between them', () => {
    expect(finds(`for${'\u200b'.repeat(200_000)}bidden`)).toBe(true);
  });

  it('finds a word in a text whose normal form is many times as long', () => {
    expect(finds(`${'\ufdfa'.repeat(100_000)}ｆｏｒｂｉｄｄｅｎ`)).toBe(true);
  });
});
