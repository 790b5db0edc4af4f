import { isIP } from 'node:net';
import type { OptionStore } from '@tollgate/chassis';
import ipaddr from 'ipaddr.js';
import type { SMTPTransportOptions } from 'nodemailer';

/** The SMTP options, and the name shown before the sender's address. */
export interface SmtpSettings {
  server: string;
  port: number;
  account: string;
  password: string;
  from: string;
  secure: boolean;
  systemName: string;
}

/** Port of SMTP with TLS from the first byte. */
const TLS_PORT = 465;
const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;

/** The options in force; the account is the sender when none is set. */
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

/** Microsoft's servers advertise authentication methods that they do not accept, so LOGIN is chosen for them. */
const wantsLogin = ({ account, server }: SmtpSettings): boolean =>
  /outlook|onmicrosoft/i.test(account) || server.toLowerCase() === 'smtp.azurecomm.net';

/**
 * TLS from the first byte on port 465 or when switched on, otherwise STARTTLS if the server offers it; a password is
 * never sent unencrypted over a public network. Certificates are verified, except for a server on this machine.
 * `address` is the resolved address of the server, already checked.
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
