import { textLimits } from '@tollgate/contracts/text-limits';
import { plainName } from '@tollgate/contracts/user-name';
import type { TextProblem } from '../../components/forms/text-problem.js';
import { lengthProblem } from '../../components/forms/text-problem.js';

export interface RegisterForm {
  username: string;
  password: string;
  password2: string;
  email: string;
  code: string;
}
type Problem = TextProblem<`error.${'username' | 'likeEmail' | 'password' | 'confirm' | 'email' | 'code'}`>;
export type RegisterErrors = Partial<Record<keyof RegisterForm, Problem>>;

function passwordProblem(password: string): Problem | undefined {
  const problem = lengthProblem(password, textLimits.password);
  return problem?.key === 'form.tooShort' ? { key: 'error.password' } : problem;
}

const needed = (text: string, key: Problem['key']): Problem | undefined => (text.trim() === '' ? { key } : undefined);

const nameProblem = (name: string): Problem | undefined =>
  needed(name, 'error.username') ??
  (name.includes('@') ? { key: 'error.likeEmail' } : lengthProblem(plainName(name), textLimits.username));

/** The errors of the fields in the order of the page; the length is checked before the two passwords are compared. */
export function registerErrors(form: RegisterForm, byEmail: boolean): RegisterErrors {
  const username = nameProblem(form.username);
  const password = passwordProblem(form.password);
  const differs = !password && form.password !== form.password2;
  const email = byEmail && (needed(form.email, 'error.email') ?? lengthProblem(form.email.trim(), textLimits.email));
  const code = byEmail && needed(form.code, 'error.code');
  return {
    ...(username && { username }),
    ...(password && { password }),
    ...(differs && { password2: { key: 'error.confirm' } }),
    ...(email && { email }),
    ...(code && { code }),
  };
}
