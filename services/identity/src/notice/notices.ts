import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Role, UserStatus } from '@tollgate/contracts';
import { Clock, Host, Logger, OptionStore, SecretBox, ownAddress } from '@tollgate/chassis';
import { quotaDisplayOf, quotaText } from '@tollgate/pricing';
import { Deliveries, type FailedDelivery } from '../delivery/deliveries.js';
import type { Payload } from '../delivery/payload.js';
import type { Language } from '../mail/language.js';
import { writeMail } from '../mail/mail-text.js';
import { User, WEBHOOK_SECRET } from '../user/user.entity.js';
import { NoticeLimit } from './notice-limit.js';
import { kindOf, type Notice, renderedToLink, webhookBody, writeNotice } from './notice-text.js';

/** A notice that is a day late is not worth sending. */
const LIFETIME_MS = 24 * 60 * 60_000;

/** Sends notices to users, in the way and the language they chose. */
@Injectable()
export class Notices {
  constructor(
    private readonly em: EntityManager,
    private readonly deliveries: Deliveries,
    private readonly limit: NoticeLimit,
    private readonly options: OptionStore,
    private readonly secrets: SecretBox,
    private readonly host: Host,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    deliveries.onFailed((failed) =>
      RequestContext.create(em, () => this.notifyOfFailure(failed)).catch((error: unknown) =>
        logger.warn('nobody was told of a failed delivery', { error }),
      ),
    );
  }

  /** `source` is the event's id, so that a second delivery of the event sends nothing. */
  async notifyUser(userId: number, source: string, notice: Notice): Promise<void> {
    const user = await this.em.findOne(User, { id: userId, status: UserStatus.enabled, deletedAt: null });
    if (user) await this.deliver(user, source, notice);
  }

  /** Notifies every super administrator, within the limit per kind. */
  async notifyRoots(source: string, notice: Notice): Promise<void> {
    const roots = await this.em.find(User, { role: Role.root, status: UserStatus.enabled, deletedAt: null });
    for (const root of roots)
      if (await this.limit.admits(root.id, kindOf(notice), source)) await this.deliver(root, source, notice);
  }

  amountText(quota: number): string {
    return quotaText(quota, quotaDisplayOf(this.options));
  }

  link(path: string): string {
    return `${ownAddress(this.options, this.host)}${path}`;
  }

  private async deliver(user: User, source: string, notice: Notice): Promise<void> {
    const payloads = user.setting.notify_type === 'webhook' ? this.webhook(user, notice) : this.mails(user, notice);
    await this.add(payloads, `notice:${source}:${notice.type}:${user.id}`, user.id, notice);
  }

  /** Each of several mails is a delivery of its own, so that a refused address does not hold up the others. */
  private async add(payloads: Payload[], source: string, userId: number, { type: kind }: Notice): Promise<void> {
    for (const [place, payload] of payloads.entries()) {
      const own = place === 0 ? source : `${source}:${place}`;
      await this.deliveries.add({ source: own, userId, kind, payload, lifetimeMs: LIFETIME_MS });
    }
  }

  private webhook(user: User, notice: Notice): Payload[] {
    const { webhook_url: url } = user.setting;
    if (url === undefined) return [];
    const body = webhookBody(notice, writeNotice(notice, languageOf(user)), this.clock.seconds());
    return [{ via: 'webhook', url, body, secret: this.secretOf(user) }];
  }

  /**
   * A secret that was encrypted with another secret key counts as not set, as it does for options, so that it does not
   * hold up notices to others.
   */
  private secretOf({ id, sealedWebhookSecret: sealed }: User): string {
    if (sealed == null) return '';
    try {
      return this.secrets.decrypt(WEBHOOK_SECRET, sealed);
    } catch (error) {
      this.logger.error('the secret of a webhook cannot be opened and counts as none', { userId: id, error });
      return '';
    }
  }

  private mails(user: User, notice: Notice): Payload[] {
    const language = languageOf(user);
    const written = writeNotice(notice, language);
    const facts = { title: written.title, text: renderedToLink(written), link: written.link };
    const mail = writeMail('notice', facts, { language, system: this.options.get('SystemName') });
    return user.mailAddresses().map((to) => ({ via: 'mail', to, ...mail }));
  }

  /** Reports a webhook that was given up by mail, at most once a day per address. */
  private async notifyOfFailure({ userId, via, target, reason }: FailedDelivery): Promise<void> {
    if (via !== 'webhook' || userId === null) return;
    const user = await this.em.findOne(User, { id: userId, status: UserStatus.enabled, deletedAt: null });
    if (!user) return;
    const notice: Notice = { type: 'delivery_failed', target, reason };
    const day = Math.floor(this.clock.now() / LIFETIME_MS);
    const source = `notice:webhook-failed:${day}:${target}:${userId}`;
    await this.add(this.mails(user, notice), source, userId, notice);
  }
}

const languageOf = ({ setting }: User): Language => setting.language ?? 'zh';
