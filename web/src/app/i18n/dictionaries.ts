import type { Language } from './language.js';

type Texts = Record<string, unknown>;
type Loader = () => Promise<{ texts: Texts }>;

/** One namespace per page folder, plus the shell's own and the server's refusals by code. */
const loaders: Record<string, Record<Language, Loader>> = {
  app: { zh: () => import('./zh.js'), en: () => import('./en.js') },
  command: { zh: () => import('../command/zh.js'), en: () => import('../command/en.js') },
  errors: { zh: () => import('./errors/zh.js'), en: () => import('./errors/en.js') },
  home: { zh: () => import('../../pages/home/zh.js'), en: () => import('../../pages/home/en.js') },
  setup: { zh: () => import('../../pages/setup/zh.js'), en: () => import('../../pages/setup/en.js') },
  login: { zh: () => import('../../pages/login/zh.js'), en: () => import('../../pages/login/en.js') },
  'not-found': { zh: () => import('../../pages/not-found/zh.js'), en: () => import('../../pages/not-found/en.js') },
  setting: { zh: () => import('../../pages/setting/zh.js'), en: () => import('../../pages/setting/en.js') },
  user: { zh: () => import('../../pages/user/zh.js'), en: () => import('../../pages/user/en.js') },
  personal: { zh: () => import('../../pages/personal/zh.js'), en: () => import('../../pages/personal/en.js') },
  playground: { zh: () => import('../../pages/playground/zh.js'), en: () => import('../../pages/playground/en.js') },
  token: { zh: () => import('../../pages/token/zh.js'), en: () => import('../../pages/token/en.js') },
  channel: { zh: () => import('../../pages/channel/zh.js'), en: () => import('../../pages/channel/en.js') },
  log: { zh: () => import('../../pages/log/zh.js'), en: () => import('../../pages/log/en.js') },
  detail: { zh: () => import('../../pages/detail/zh.js'), en: () => import('../../pages/detail/en.js') },
  pricing: { zh: () => import('../../pages/pricing/zh.js'), en: () => import('../../pages/pricing/en.js') },
  about: { zh: () => import('../../pages/about/zh.js'), en: () => import('../../pages/about/en.js') },
  register: { zh: () => import('../../pages/register/zh.js'), en: () => import('../../pages/register/en.js') },
};

export const namespaces = Object.keys(loaders);
export const hasDictionary = (namespace: string): boolean => namespace in loaders;

export async function loadDictionary(language: Language, namespace: string): Promise<Texts> {
  const load = loaders[namespace]?.[language];
  if (!load) throw new Error(`no dictionary "${namespace}" in "${language}"`);
  return (await load()).texts;
}
