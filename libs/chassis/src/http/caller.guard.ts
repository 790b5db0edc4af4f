import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { SecretBox } from '../crypto/secret-box.js';
import { AppError } from '../errors/app-error.js';
import {
  CALLER_HEADER,
  isOutdatedCaller,
  isService,
  type PlatformRequest,
  REQUEST_ID_HEADER,
  verifiedCaller,
} from './caller.js';
import { notAccepted } from './internal-client.js';
import type { RouteContext } from './route.js';

/** Authenticates requests by signature only: the gateway's for people, a service's own for internal calls. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly secrets: SecretBox) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const { row, internal } = (request.routeOptions.config ?? {}) as RouteContext;
    if (internal !== undefined) return this.checkService(request);
    request.caller = verifiedCaller(this.secrets, request.headers[CALLER_HEADER]);
    if (row === undefined || row.minRole === 0) return true;
    if (!request.caller) {
      // Whoever signed in must not be told to do so again: it would not help.
      if (isOutdatedCaller(this.secrets, request.headers[CALLER_HEADER])) throw notAccepted();
      throw new AppError('unauthenticated', 'not-signed-in', '无权进行此操作，未登录且未提供 access token');
    }
    if (request.caller.role < row.minRole)
      throw new AppError('forbidden', 'permission-denied', '无权进行此操作，权限不足');
    return true;
  }

  private checkService(request: FastifyRequest): true {
    if (!isService(this.secrets, request.headers))
      // The reply equals that of an unknown path, so that a prober learns nothing; the error code shows operators that a service has a
      // wrong clock or key.
      throw new AppError('not-found', 'service-unknown', '接口不存在', { status: 404 });
    // Use one request id across all services. Only a service may set it, a client may not.
    const requestId = request.headers[REQUEST_ID_HEADER];
    if (typeof requestId === 'string') request.id = requestId;
    return true;
  }
}
