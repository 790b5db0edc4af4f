import { Injectable } from '@nestjs/common';
import { AppError, OptionStore } from '@tollgate/chassis';
import { z } from 'zod';
import { isAccountId, type ProviderAccount } from '../provider-account.js';
import { ProviderCalls } from '../provider-calls.js';

const replySchema = z.object({
  success: z.boolean(),
  message: z.string().nullish(),
  data: z.string().nullish(),
});

/** Resolves a code to a WeChat account through the WeChat server that the operator runs. */
@Injectable()
export class WeChat {
  constructor(
    private readonly options: OptionStore,
    private readonly calls: ProviderCalls,
  ) {}

  async accountOf(code: string): Promise<ProviderAccount> {
    const reply = await this.calls.call(
      {
        url: `${this.options.get('WeChatServerAddress')}/api/wechat/user?code=${encodeURIComponent(code)}`,
        headers: { authorization: this.options.get('WeChatServerToken') },
      },
      { schema: replySchema, unreachable: '无法连接至微信登录服务器，请稍后重试！' },
    );
    if (reply?.success && reply.data && isAccountId(reply.data)) return { id: reply.data };
    const refusal = reply && !reply.success ? reply.message?.slice(0, 200) : '';
    throw new AppError('invalid', 'verification-code-wrong', refusal || '验证码错误或已过期', { field: 'code' });
  }
}
