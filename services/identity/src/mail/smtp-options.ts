import { isIP } from 'node:net';
import type { OptionStore } from '@tollgate/chassis';
import ipaddr from 'ipaddr.js';
import type { SMTPTransportOptions } from 'nodemailer';

/** The six SMTP options, and the name that stands before the sender's address. */
export interface SmtpSettings {
  server: string;
  port: number;
  account: string;
  password: string;
  from: string;
  secure: boolean;
  systemName: string;
}

/** The port on which TLS begins with the first byte. */
const TLS_PORT = 465;
const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;

/** What mails are sent with, by the options in force; the account is the sender where none is set. */
export function smtpSettings(options: Pick<OptionStore, 'get'>): SmtpSettings {
  const account = options.get('SMTPAccount').trim();
  return {
    server: options.get('SMTPServer').trim(),
    port: options.get('SMTPPort'),
    account,
    password: options.get('SMTPToken'),
    from: options.get('SMTPFrom').trim() || account,
    secure: options.get('SMTPSSLEnabled'),
    systemName: options.get('SystemName'),
  };
}

export const isMailConfigured = ({ server, from }: SmtpSettings): boolean => server !== '' && from !== '';

const rangeOf = (address: string): string => ipaddr.process(address).range();

/** Microsoft's servers offer more ways to sign in than they take. */
const wantsLogin = ({ account, server }: SmtpSettings): boolean =>
  /outlook|onmicrosoft/i.test(account) || server.toLowerCase() === 'smtp.azurecomm.net';

/**
 * TLS from the first byte on port 465 or by the switch, otherwise STARTTLS wherever it is offered; a password crosses a public
 * network encrypted only. Certificates are verified, except of a server on this very machine. `address` is where the
 * name leads, already checked.
 */
export function transportOf(settings: SmtpSettings, address: string): SMTPTransportOptions {
  const { server, port, account, password } = settings;
  const secure = settings.secure || port === TLS_PORT;
  const hasPassword = account !== '' && password !== '';
  return {
    host: address,
    port,
    secure,
    requireTLS: !secure && hasPassword && rangeOf(address) === 'unicast',
    tls: { rejectUnauthorized: rangeOf(address) !== 'loopback', ...(isIP(server) === 0 && { servername: server }) },
    ...(hasPassword && { auth: { user: account, pass: password } }),
    ...(wantsLogin(settings) && { authMethod: 'LOGIN' }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
