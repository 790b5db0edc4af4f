import { Body, Controller, Headers } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import {
  discoverOidcSchema,
  type OidcDiscovery,
  type Option as OptionReply,
  updateOptionSchema,
} from '@tollgate/contracts/api/option';
import { testMailSchema } from '@tollgate/contracts/api/verification';
import { type Caller, CurrentCaller, Message, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { languageOf } from '../mail/language.js';
import { MailTestService } from '../mail/mail-test.service.js';
import { OidcDiscoveries } from './oidc-discovery.js';
import { OptionService } from './option.service.js';

@Controller()
export class OptionController {
  constructor(
    private readonly options: OptionService,
    private readonly discoveries: OidcDiscoveries,
    private readonly mailTests: MailTestService,
  ) {}

  @Route(routes.listOptions)
  list(): Promise<OptionReply[]> {
    return this.options.list();
  }

  @Route(routes.updateOption)
  update(
    @Body({ schema: updateOptionSchema }) body: z.output<typeof updateOptionSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.options.update(body, caller);
  }

  @Route(routes.discoverOidc)
  discoverOidc(
    @Body({ schema: discoverOidcSchema }) { url }: z.output<typeof discoverOidcSchema>,
  ): Promise<OidcDiscovery> {
    return this.discoveries.read(url);
  }

  @Route(routes.testMail)
  async testMail(
    @Body({ schema: testMailSchema }) { email }: z.output<typeof testMailSchema>,
    @CurrentCaller() { userId }: Caller,
    @Headers('accept-language') accepted: string | undefined,
  ): Promise<Message<string>> {
    const to = await this.mailTests.send(email, userId, languageOf(accepted) ?? 'zh');
    return new Message(`测试邮件已发送至 ${to}`, to);
  }

  @Route(routes.resetModelRatio)
  async resetModelRatio(@CurrentCaller() caller: Caller): Promise<Message> {
    await this.options.reset('ModelRatio', caller);
    return new Message('重置模型倍率成功');
  }
}
