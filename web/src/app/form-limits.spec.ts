import { describe, expect, it } from '@jest/globals';
import { createUserSchema, registerSchema } from '@tollgate/contracts/api/user';
import { registerErrors } from '../pages/register/register-form.js';
import { setupErrors } from '../pages/setup/setup-form.js';
import { displayNameProblem, passwordProblem, usernameProblem } from '../pages/user/user-form.js';

/** One character that takes two UTF-16 units and four bytes. */
const EMOJI = '\u{1F600}';
const texts = ['', 'a', EMOJI].flatMap((letter) =>
  [1, 4, 7, 8, 11, 12, 13, 15, 20, 21].map((count) => letter.repeat(count)),
);

const registration = { username: 'ann', password: 'long-enough', password2: 'long-enough', email: '', code: '' };
const isRegistered = (change: object) => registerSchema.safeParse({ ...registration, ...change }).success;
const isAsked = (change: object) => Object.keys(registerErrors({ ...registration, ...change }, false)).length === 0;
const user = createUserSchema.out.shape;

describe('a form and the contract', () => {
  const pairs: [field: string, judges: (text: string) => boolean, takes: (text: string) => boolean][] = [
    ['user name', (text) => !usernameProblem(text), (text) => user.username.safeParse(text).success],
    ['display name', (text) => !displayNameProblem(text), (text) => user.display_name.safeParse(text).success],
    ['password', (text) => !passwordProblem(text, true), (text) => user.password.safeParse(text).success],
    ['name of who registers', (username) => isAsked({ username }), (username) => isRegistered({ username })],
    [
      'password of who registers',
      (password) => isAsked({ password, password2: password }),
      (password) => isRegistered({ password, password2: password }),
    ],
  ];

  it.each(pairs)('limit a %s alike, in any script', (_, judges, takes) => {
    expect(texts.filter(judges)).toEqual(texts.filter(takes));
  });

  it('limit the name of an administrator by characters', () => {
    const form = { password: 'long-enough', usageMode: 'external', setupToken: '' } as const;
    const faults = (username: string, password: string) =>
      Object.keys(
        setupErrors({ ...form, username, password, confirmPassword: password }, { admin: true, token: false }),
      );
    expect(faults(EMOJI.repeat(64), EMOJI.repeat(128))).toEqual([]);
    expect(faults(EMOJI.repeat(65), EMOJI.repeat(129))).toEqual(['username', 'password']);
    expect(faults('root', EMOJI.repeat(4))).toEqual(['password']);
  });
});
