import { Injectable } from '@nestjs/common';
import { AppError, asksForWebSocket, Clock } from '@tollgate/chassis';
import { type Admitted, checkModelLimit, Gatekeeper } from '../access/gatekeeper.js';
import { Refusal } from '../call/refusal.js';
import { Admission } from '../admission/admission.js';
import type { DialRequest } from '../realtime/dialer.js';
import { RefusedCalls } from '../refused/refused-calls.js';
import { RealtimeSessions } from '../realtime/realtime-sessions.js';
import { Entry } from './entry.js';
import { type HotRequest, queryParameter } from './hot-request.js';
import { channelIdOf } from './named-channel.js';

const MAX_MODEL = 255;

/**
 * GET /v1/realtime. A caller who may not call is refused in HTTP; failures after the handshake are sent as an error
 * event.
 */
@Injectable()
export class RealtimeCalls {
  constructor(
    private readonly entry: Entry,
    private readonly gatekeeper: Gatekeeper,
    private readonly admission: Admission,
    private readonly sessions: RealtimeSessions,
    private readonly clock: Clock,
    private readonly refusedCalls: RefusedCalls,
  ) {}

  open(request: HotRequest): Promise<void> {
    return this.entry.counted(request, (admitted, succeeded) => this.openFor(request, admitted, succeeded));
  }

  private async openFor(request: HotRequest, { token, user, channel }: Admitted, succeeded: () => void): Promise<void> {
    const { raw } = request;
    const model = modelOf(request);
    request.caller = { tokenId: token.id, userId: user.id, model };
    const group = this.gatekeeper.groupOf(user, token);
    const apiVersion = queryParameter(raw, 'api-version');
    const call: DialRequest = {
      ...{
        requestId: request.id,
        endpoint: 'realtime',
        user,
        token,
        model,
        group,
        headers: raw.headers,
        isStream: true,
      },
      ...{ startedAt: this.clock.now(), startedMono: this.clock.monotonic() },
      ...(apiVersion !== undefined && { apiVersion }),
      ...(channel !== undefined && { channelId: channelIdOf(channel) }),
    };
    const candidates = await this.admission.candidatesFor(call);
    const { upgrade } = request;
    if (!upgrade || !asksForWebSocket(raw)) throw notUpgraded(request);
    this.sessions.assertRoom(user.id);
    const refusal = (): Promise<Refusal | undefined> => this.refusalOf(request, model);
    const refused = ({ reason, status, message }: Refusal): void =>
      this.refusedCalls.note({
        requestId: request.id,
        ...{ reason, status, message, tokenId: token.id, userId: user.id, model },
      });
    await this.sessions.begin(call, candidates, upgrade, { succeeded, refusal, refused });
  }

  /**
   * The refusal that the session's caller would get if it opened the session now; `undefined` where it may go on, or
   * where that cannot be determined.
   */
  private async refusalOf({ raw, path, address }: HotRequest, model: string): Promise<Refusal | undefined> {
    try {
      const { token, user } = await this.gatekeeper.admit(raw.headers, path, true);
      this.gatekeeper.checkAddress(token, address);
      this.gatekeeper.groupOf(user, token);
      checkModelLimit(token, model);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error;
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}

function modelOf({ raw }: HotRequest): string {
  const model = queryParameter(raw, 'model') ?? '';
  if (model !== '' && model.length <= MAX_MODEL) return model;
  const extra = { param: 'model' };
  throw new Refusal(400, 'Invalid request, 无效的请求, model is required', 'invalid_request', extra);
}

function notUpgraded({ response }: HotRequest): Refusal {
  if (!response.headersSent) response.setHeader('upgrade', 'websocket');
  return new Refusal(426, '该接口需要 WebSocket 连接', 'upgrade_required');
}
