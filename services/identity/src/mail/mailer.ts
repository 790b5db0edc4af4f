import { Injectable } from '@nestjs/common';
import { AppError, Host, Logger, OptionStore, OutboundClient } from '@tollgate/chassis';
import { createTransport } from 'nodemailer';
import type { MailText } from './mail-text.js';
import { isMailConfigured, smtpSettings, transportOf } from './smtp-options.js';

export interface Mail extends MailText {
  to: string;
}

/** A server that says no for good: nobody there, or a mail it does not take. What concerns our sign-in may be mended. */
const isFinal = (error: { responseCode?: number; code?: string }): boolean =>
  error.code !== 'EAUTH' && error.responseCode !== undefined && error.responseCode >= 550 && error.responseCode < 560;

/** Hands single mails to the server of the settings. Who wants a mail to arrive in the end puts it among the deliveries. */
@Injectable()
export class Mailer {
  constructor(
    private readonly options: OptionStore,
    private readonly outbound: OutboundClient,
    private readonly host: Host,
    private readonly logger: Logger,
  ) {}

  /** Throws `mail-not-configured`, for every caller alike and before anything is looked up. */
  assertConfigured(): void {
    if (isMailConfigured(smtpSettings(this.options)) || this.showsInLog()) return;
    throw new AppError('invalid', 'mail-not-configured', 'SMTP 服务器未配置');
  }

  /** Throws `mail-failed`, which says whether it is worth another try, or `mail-not-configured`. */
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

  /** Development only: where no server is set and the product is one process. */
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
/** What goes wrong once a mail server has answered. Before that all failures have one text, or the test would show which ports are open. */
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
