import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AppError, OptionStore } from '@tollgate/chassis';
import { User } from '../user/user.entity.js';
import type { Language } from './language.js';
import { writeMail } from './mail-text.js';
import { Mailer } from './mailer.js';

/**
 * Sends a mail at once with the stored settings and reports the server's reply, which a queued delivery would not show.
 */
@Injectable()
export class MailTestService {
  constructor(
    private readonly em: EntityManager,
    private readonly mailer: Mailer,
    private readonly options: OptionStore,
  ) {}

  /** Resolves to the address used: the given one, or the caller's own. */
  async send(given: string | undefined, callerId: number, language: Language): Promise<string> {
    this.mailer.assertConfigured();
    const to = given ?? (await this.em.findOne(User, { id: callerId }))?.email ?? '';
    if (to === '')
      throw new AppError('invalid', 'mail-address-missing', '请填写收件邮箱，或先绑定邮箱', { field: 'email' });
    await this.mailer.send({ to, ...writeMail('mail-test', {}, { language, system: this.options.get('SystemName') }) });
    return to;
  }
}
