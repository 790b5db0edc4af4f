import { option } from './option.js';
import { flag, integer, line } from './text-schemas.js';

const smtp = { minRole: 10, card: 'system.smtp' } as const;
const server = { ...smtp, receives: 'SMTPToken' } as const;

export const mailOptions = {
  SMTPServer: option({ ...server, schema: line, default: '' }),
  /** With port 465 TLS is used from the first byte. */
  SMTPPort: option({ ...server, schema: integer(1, 65_535), default: '587' }),
  SMTPAccount: option({ ...smtp, schema: line, default: '' }),
  /** Empty for the account. */
  SMTPFrom: option({ ...smtp, schema: line, default: '' }),
  SMTPToken: option({ ...smtp, schema: line, default: '', secret: true }),
  SMTPSSLEnabled: option({ ...server, schema: flag, default: 'false' }),
};
