import { option } from './option.js';
import { imageLink, link, linkTemplate, serverAddress, requiredLine, text, address, line } from './text-schemas.js';

const admin = { minRole: 10 } as const;
const look = { ...admin, card: 'other.personalization' } as const;

/** Branding that visitors see, and the public addresses of this server. */
export const personalizationOptions = {
  ServerAddress: option({ ...admin, schema: serverAddress, default: '', inStatus: true, card: 'system.general' }),
  WorkerUrl: option({ ...admin, receives: 'WorkerValidKey', schema: address, default: '', card: 'system.worker' }),
  WorkerValidKey: option({ ...admin, schema: line, default: '', secret: true, card: 'system.worker' }),

  Notice: option({ ...admin, schema: text, default: '', card: 'other.notice' }),
  SystemName: option({ ...look, schema: requiredLine, default: 'Tollgate', inStatus: true }),
  Logo: option({ ...look, schema: imageLink, default: '', inStatus: true }),
  Footer: option({ ...look, schema: text, default: '', inStatus: true }),
  About: option({ ...look, schema: text, default: '' }),
  HomePageContent: option({ ...look, schema: text, default: '' }),

  TopUpLink: option({ schema: link, default: '', minRole: 100, inStatus: true, card: 'operation.general' }),
  'general_setting.docs_link': option({
    ...admin,
    schema: link,
    default: '',
    inStatus: true,
    card: 'operation.general',
  }),
  'general_setting.customer_service_link': option({
    ...admin,
    schema: link,
    default: '',
    inStatus: true,
    card: 'operation.general',
  }),
  chat_link: option({ ...admin, schema: linkTemplate, default: '', inStatus: true, card: 'operation.chat' }),
  chat_link2: option({ ...admin, schema: linkTemplate, default: '', inStatus: true, card: 'operation.chat' }),
};
