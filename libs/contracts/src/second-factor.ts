import { isAdmin } from './roles.js';

/** Values of `SecondFactorRequiredFor`: of whom the operator requires a second factor. */
export const factorRules = ['nobody', 'admins', 'everybody'] as const;
type FactorRule = (typeof factorRules)[number];

export const isFactorRequired = (rule: FactorRule, role: number): boolean =>
  rule === 'everybody' || (rule === 'admins' && isAdmin(role));

/** Whether a user must set up a second factor before anything else. */
export const mustEnrol = (
  rule: FactorRule,
  { role, secondFactor }: { role: number; secondFactor?: boolean | undefined },
): boolean => secondFactor !== true && isFactorRequired(rule, role);
