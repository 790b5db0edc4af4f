import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Log as LogReply } from '@tollgate/contracts/api/log';
import { SecretBox } from '@tollgate/chassis';
import type { LogRow } from '../log/log-row.js';
import { toOwnLogReply } from './log.reply.js';

/** Rows for readers who are not administrators. All replicas give a row the same id, until the secret key is replaced. */
@Injectable()
export class OwnLogReplies {
  private readonly key: KeyObject;

  constructor(secrets: SecretBox) {
    this.key = createSecretKey(secrets.hmac('own-log-id', ''), 'hex');
  }

  readonly of = (log: LogRow): LogReply => toOwnLogReply(log, this.key);
}
