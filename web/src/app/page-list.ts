import ApiIcon from '@mui/icons-material/VpnKeyOutlined';
import ApprovalIcon from '@mui/icons-material/HowToRegOutlined';
import AuditIcon from '@mui/icons-material/FactCheckOutlined';
import BarChartIcon from '@mui/icons-material/BarChart';
import BrushIcon from '@mui/icons-material/BrushOutlined';
import ChatIcon from '@mui/icons-material/ChatOutlined';
import DescriptionIcon from '@mui/icons-material/DescriptionOutlined';
import GroupIcon from '@mui/icons-material/GroupOutlined';
import HubIcon from '@mui/icons-material/HubOutlined';
import JournalIcon from '@mui/icons-material/MenuBookOutlined';
import PersonIcon from '@mui/icons-material/PersonOutlined';
import RedeemIcon from '@mui/icons-material/RedeemOutlined';
import SettingsIcon from '@mui/icons-material/SettingsOutlined';
import InvoiceIcon from '@mui/icons-material/RequestQuoteOutlined';
import StatementIcon from '@mui/icons-material/AssessmentOutlined';
import TaskIcon from '@mui/icons-material/ChecklistOutlined';
import WalletIcon from '@mui/icons-material/AccountBalanceWalletOutlined';
import type { Status } from '@tollgate/contracts/api/status';
import type { TextKey } from './i18n/text-keys.js';

type NavGroup = 'chat' | 'console' | 'admin' | 'personal';
type Icon = typeof ApiIcon;
type Flag = 'enable_data_export' | 'enable_drawing' | 'enable_task';

/**
 * One route of the console. Router, guard, menu and palette are derived from these rows. A row does not say how its page is loaded, so that
 * code which needs only an address does not import the pages.
 */
export interface PageRow {
  path: string;
  /** Also the name of the page's folder: `pages/<id>/<id>-page.tsx` is the component, `zh.ts` and `en.ts` beside it are the texts. */
  id: string;
  titleKey: TextKey;
  /** Other pages whose texts this page shows as well. */
  alsoTextsOf?: readonly string[];
  nav?: { group: NavGroup; order: number; icon: Icon; flag?: Flag };
  minRole: 0 | 1 | 10 | 100;
  /**
   * An address of the page that links for every user point to; users with a lower role are redirected from it to their own settings. At any
   * other address they see that they may not open the page.
   */
  own?: string;
  /** `bare`: no sidebar, no padding. */
  shell: 'app' | 'bare';
}

export const pages: readonly PageRow[] = [
  {
    path: '/',
    id: 'home',
    titleKey: 'nav.home',
    minRole: 0,
    shell: 'bare',
  },
  {
    path: '/setup',
    id: 'setup',
    titleKey: 'nav.setup',
    minRole: 0,
    shell: 'bare',
  },
  {
    path: '/login',
    id: 'login',
    titleKey: 'nav.login',
    minRole: 0,
    shell: 'app',
  },
  {
    path: '/register',
    id: 'register',
    titleKey: 'nav.register',
    alsoTextsOf: ['login'],
    minRole: 0,
    shell: 'app',
  },
  { path: '/reset', id: 'reset', titleKey: 'nav.reset', minRole: 0, shell: 'app' },
  { path: '/user/reset', id: 'reset-confirm', titleKey: 'nav.reset', minRole: 0, shell: 'app' },
  { path: '/oauth/:provider', id: 'oauth', titleKey: 'nav.oauth', minRole: 0, shell: 'app' },

  {
    path: '/playground',
    id: 'playground',
    titleKey: 'nav.playground',
    nav: { group: 'chat', order: 10, icon: ChatIcon },
    minRole: 1,
    shell: 'app',
  },
  { path: '/chat/:id?', id: 'chat', titleKey: 'nav.chat', minRole: 0, shell: 'bare' },
  { path: '/chat2link', id: 'chat2link', titleKey: 'nav.chat', minRole: 1, shell: 'bare' },

  {
    path: '/detail',
    id: 'detail',
    titleKey: 'nav.detail',
    nav: { group: 'console', order: 10, icon: BarChartIcon, flag: 'enable_data_export' },
    minRole: 1,
    shell: 'app',
  },
  {
    path: '/token/:mode?/:id?',
    id: 'token',
    titleKey: 'nav.token',
    nav: { group: 'console', order: 20, icon: ApiIcon },
    minRole: 1,
    shell: 'app',
  },
  {
    path: '/log',
    id: 'log',
    titleKey: 'nav.log',
    nav: { group: 'console', order: 30, icon: DescriptionIcon },
    minRole: 1,
    shell: 'app',
  },
  {
    path: '/statement/:whose?',
    id: 'statement',
    titleKey: 'nav.statement',
    nav: { group: 'console', order: 35, icon: StatementIcon },
    minRole: 1,
    shell: 'app',
  },
  { path: '/proof/:kind?/:id?', id: 'proof', titleKey: 'nav.proof', minRole: 1, shell: 'app' },
  {
    path: '/midjourney',
    id: 'midjourney',
    titleKey: 'nav.midjourney',
    nav: { group: 'console', order: 40, icon: BrushIcon, flag: 'enable_drawing' },
    minRole: 1,
    shell: 'app',
  },
  {
    path: '/task',
    id: 'task',
    titleKey: 'nav.task',
    nav: { group: 'console', order: 50, icon: TaskIcon, flag: 'enable_task' },
    minRole: 1,
    shell: 'app',
  },

  {
    path: '/channel/:mode?/:id?',
    id: 'channel',
    titleKey: 'nav.channel',
    nav: { group: 'admin', order: 10, icon: HubIcon },
    minRole: 10,
    shell: 'app',
  },
  {
    path: '/redemption/:mode?/:id?',
    id: 'redemption',
    titleKey: 'nav.redemption',
    nav: { group: 'admin', order: 20, icon: RedeemIcon },
    minRole: 10,
    shell: 'app',
  },
  {
    path: '/user/:mode?/:id?',
    id: 'user',
    titleKey: 'nav.user',
    nav: { group: 'admin', order: 30, icon: GroupIcon },
    minRole: 10,
    // In the reference implementation an edit address without an id is the user's own profile.
    own: '/user/edit',
    shell: 'app',
  },
  {
    path: '/approval',
    id: 'approval',
    titleKey: 'nav.approval',
    nav: { group: 'admin', order: 34, icon: ApprovalIcon },
    minRole: 10,
    shell: 'app',
  },
  {
    path: '/journal',
    id: 'journal',
    titleKey: 'nav.journal',
    nav: { group: 'admin', order: 36, icon: JournalIcon },
    minRole: 10,
    shell: 'app',
  },
  {
    path: '/invoice/:id?',
    id: 'invoice',
    titleKey: 'nav.invoice',
    nav: { group: 'admin', order: 38, icon: InvoiceIcon },
    minRole: 10,
    shell: 'app',
  },
  {
    path: '/setting',
    id: 'setting',
    titleKey: 'nav.setting',
    nav: { group: 'admin', order: 40, icon: SettingsIcon },
    minRole: 10,
    // After binding a third-party account, users of every role return to this address.
    own: '/setting',
    shell: 'app',
  },
  {
    path: '/audit',
    id: 'audit',
    titleKey: 'nav.audit',
    nav: { group: 'admin', order: 50, icon: AuditIcon },
    minRole: 10,
    shell: 'app',
  },

  {
    path: '/topup',
    id: 'topup',
    titleKey: 'nav.topup',
    nav: { group: 'personal', order: 10, icon: WalletIcon },
    minRole: 1,
    shell: 'app',
  },
  {
    path: '/personal',
    id: 'personal',
    titleKey: 'nav.personal',
    nav: { group: 'personal', order: 20, icon: PersonIcon },
    minRole: 1,
    shell: 'app',
  },

  {
    path: '/pricing',
    id: 'pricing',
    titleKey: 'nav.pricing',
    minRole: 0,
    shell: 'app',
  },
  {
    path: '/udocs/popular-models',
    id: 'popular-models',
    titleKey: 'nav.popularModels',
    minRole: 0,
    shell: 'app',
  },
  {
    path: '/about',
    id: 'about',
    titleKey: 'nav.about',
    minRole: 0,
    shell: 'app',
  },
  {
    path: '*',
    id: 'not-found',
    titleKey: 'nav.notFound',
    minRole: 0,
    shell: 'app',
  },
];

/** The address that a menu links to: the path without its optional parameters. */
export const addressOf = ({ path }: PageRow): string => path.replace(/\/:.*$/, '') || '/';

export const navGroups: readonly NavGroup[] = ['chat', 'console', 'admin', 'personal'];

/** The menu entries that a user sees, by role and by the operator's flags. */
export function navRows(role: number, status: Partial<Status>): PageRow[] {
  return pages
    .filter(({ nav, minRole }) => nav && role >= minRole && (!nav.flag || status[nav.flag] === true))
    .sort((one, other) => (one.nav?.order ?? 0) - (other.nav?.order ?? 0));
}
