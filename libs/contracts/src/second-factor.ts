import { isAdmin } from './roles.js';

/** Of whom the operator asks a second factor: the values of `SecondFactorRequiredFor`. */
export const factorRules = ['nobody', 'admins', 'everybody'] as const;
export type FactorRule = (typeof factorRules)[number];

export const isFactorRequired = (rule: FactorRule, role: number): boolean =>
  rule === 'everybody' || (rule === 'admins' && isAdmin(role));

/** Whether somebody has to set a second factor up before anything else. */
export const mustEnrol = (
  rule: FactorRule,
  { role, secondFactor }: { role: number; secondFactor?: boolean | undefined },
): boolean => secondFactor !== true && isFactorRequired(rule, role);
