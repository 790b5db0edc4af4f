import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.js';

/** A received mail, decoded. */
interface ReceivedMail {
  to: string[];
  from: string;
  subject: string;
  text: string;
  html: string;
  /** Whether the connection was encrypted. */
  secure: boolean;
  /** User of the SMTP authentication; empty without one. */
  user: string;
}

export interface MailServer {
  port: number;
  mails: ReceivedMail[];
  /** While set, every mail is rejected with this reply. */
  refusal?: { code: number; message: string };
  /** The newest mail to an address whose subject or text matches; waits until there is one. */
  mailTo(address: string, matching?: RegExp): Promise<ReceivedMail>;
  close(): Promise<void>;
}

interface MailServerOptions {
  /** Uses TLS from the start of the connection. */
  secure?: boolean;
  /** Disables STARTTLS. */
  plain?: boolean;
  /** Requires authentication with this account. */
  account?: { user: string; password: string };
  port?: number;
}

const PATIENCE_MS = 60_000;

/**
 * Starts a real SMTP server that keeps what it receives. It uses the certificate for localhost that comes with the
 * library.
 */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { account } = options;
  const mails: ReceivedMail[] = [];
  const state: Pick<MailServer, 'refusal'> = {};
  const server = new SMTPServer({
    secure: options.secure ?? false,
    authOptional: account === undefined,
    allowInsecureAuth: true,
    // All that the library would log is a warning that its certificate is for tests only.
    logger: false,
    disabledCommands: options.plain ? ['STARTTLS'] : [],
    onAuth: ({ username, password }, _session, done) =>
      account && username === account.user && password === account.password
        ? done(null, { user: username })
        : done(new Error('Authentication failed')),
    onRcptTo: (_address, _session, done) =>
      state.refusal
        ? done(Object.assign(new Error(state.refusal.message), { responseCode: state.refusal.code }))
        : done(),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({
          ...readMail(Buffer.concat(chunks).toString('latin1')),
          to: session.envelope.rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user ?? '',
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(state, {
    port,
    mails,
    mailTo: (address: string, matching = /^/) =>
      eventually(
        `a mail to ${address}`,
        () => mails.findLast(({ to, subject, text }) => to.includes(address) && matching.test(`${subject}\n${text}`)),
        PATIENCE_MS,
      ),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

function readMail(source: string): Pick<ReceivedMail, 'from' | 'subject' | 'text' | 'html'> {
  const { headers } = split(source);
  const parts = partsOf(source);
  const bodyOf = (type: string): string => parts.find(({ kind }) => kind.startsWith(type))?.content ?? '';
  return {
    from: words(headers.get('from') ?? ''),
    subject: words(headers.get('subject') ?? ''),
    text: bodyOf('text/plain'),
    html: bodyOf('text/html'),
  };
}

function split(source: string): { headers: Map<string, string>; body: string } {
  const end = source.indexOf('\r\n\r\n');
  const lines = source
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: new Map(headers), body: source.slice(end + 4) };
}

function partsOf(source: string): { kind: string; content: string }[] {
  const { headers, body } = split(source);
  const kind = headers.get('content-type') ?? 'text/plain';
  const boundary = /boundary="?([^";]+)"?/.exec(kind)?.[1];
  if (boundary === undefined)
    return [{ kind, content: decode(body, headers.get('content-transfer-encoding') ?? '7bit') }];
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((part) => partsOf(part.replace(/^\r\n/, '')));
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  const bytes = encoding === 'quoted-printable' ? unquoted(body) : body;
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const unquoted = (text: string): string =>
  text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Decodes encoded words in a header. */
const words = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : Buffer.from(unquoted(word.replaceAll('_', ' ')), 'latin1').toString('utf8'),
    );
