import { Injectable } from '@nestjs/common';
import { AppError, Host, Logger, OptionStore, OutboundClient } from '@tollgate/chassis';
import { createTransport } from 'nodemailer';
import type { MailText } from './mail-text.js';
import { isMailConfigured, smtpSettings, transportOf } from './smtp-options.js';

interface Mail extends MailText {
  to: string;
}

/**
 * Whether the server refused for good: it does not know the recipient or does not accept the mail. A failed sign-in at
 * the server is not final, since the operator may correct the settings.
 */
const isFinal = (error: { responseCode?: number; code?: string }): boolean =>
  error.code !== 'EAUTH' && error.responseCode !== undefined && error.responseCode >= 550 && error.responseCode < 560;

/** Sends a single mail to the server of the options, without retries. Use `Deliveries` for a mail that must arrive. */
@Injectable()
export class Mailer {
  constructor(
    private readonly options: OptionStore,
    private readonly outbound: OutboundClient,
    private readonly host: Host,
    private readonly logger: Logger,
  ) {}

  /** Throws `mail-not-configured`. Called before any look-up, so that the error does not depend on the address. */
  assertConfigured(): void {
    if (isMailConfigured(smtpSettings(this.options)) || this.showsInLog()) return;
    throw new AppError('invalid', 'mail-not-configured', 'SMTP 服务器未配置');
  }

  /** Throws `mail-failed`, which says whether a retry makes sense, or `mail-not-configured`. */
  async send(mail: Mail): Promise<void> {
    const settings = smtpSettings(this.options);
    this.assertConfigured();
    if (!isMailConfigured(settings)) return this.show(mail);
    const address = await this.outbound.addressOf(settings.server, 'channel');
    const transport = createTransport(transportOf(settings, address));
    try {
      const { to, subject, text, html } = mail;
      await transport.sendMail({
        from: { name: settings.systemName, address: settings.from },
        to: { name: '', address: to },
        subject,
        text,
        html,
      });
    } catch (error) {
      this.logger.warn('a mail was not sent', { error });
      throw mailFailed(error as Error & { responseCode?: number; code?: string });
    } finally {
      transport.close();
    }
  }

  /** For development only: no mail server is set and the product runs as one process. */
  private showsInLog(): boolean {
    const { TOLLGATE_MAIL_LOG, REDIS_URL, KAFKA_BROKERS } = this.host.env;
    const isEmbedded = REDIS_URL === undefined && KAFKA_BROKERS === undefined;
    return TOLLGATE_MAIL_LOG === 'on' && isEmbedded && process.env.NODE_ENV !== 'production';
  }

  private show({ to, subject, text }: Mail): void {
    this.logger.info('a mail, because no SMTP server is set', { to, subject, text });
  }
}

const MAX_REASON = 300;
/**
 * Errors that occur after the mail server has answered. All earlier failures get the same message; otherwise the mail
 * test would reveal which ports are open.
 */
const SPOKEN = new Set(['EAUTH', 'EENVELOPE', 'EMESSAGE']);
const NO_SESSION = '无法与邮件服务器建立会话，请检查服务器、端口与加密方式';

function mailFailed(error: Error & { responseCode?: number; code?: string }): AppError {
  const spoke = SPOKEN.has(error.code ?? '');
  const reason = spoke ? error.message.replace(/\s+/g, ' ').slice(0, MAX_REASON) : NO_SESSION;
  return new AppError('upstream', 'mail-failed', `邮件发送失败：${reason}`, {
    cause: error,
    params: { reason, final: isFinal(error) },
  });
}
