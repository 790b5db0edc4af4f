import { applyDecorators, HttpCode, Post, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { InternalCall, OwnedRouteRow } from '@tollgate/contracts';

export const ROUTE = 'tollgate:route';
export const INTERNAL_CALL = 'tollgate:internal-call';

/** What a Fastify route of ours carries: its row, or the internal call it answers. */
export interface RouteContext {
  row?: OwnedRouteRow;
  internal?: string;
  /** It is answered without waiting for the service's read models, because other services fill theirs from it. */
  isSource?: boolean;
  /** The handler reads the body itself, once it knows that it wants it. */
  readsBody?: boolean;
}

/** Takes method, path, role and limits from the row. A POST answers 200, not Nest's 201. */
export const Route = (row: OwnedRouteRow): MethodDecorator =>
  applyDecorators(
    RequestMapping({ method: RequestMethod[row.method], path: row.path }),
    HttpCode(200),
    SetMetadata(ROUTE, row),
    RouteConfig({ row } satisfies RouteContext),
  );

/** Answers an internal call: the body is the parsed input, the result the plain output without an envelope. */
export const Answers = (call: InternalCall): MethodDecorator =>
  applyDecorators(
    Post(`/internal/${call.name}`),
    HttpCode(200),
    SetMetadata(INTERNAL_CALL, call),
    RouteConfig({ internal: call.name, isSource: call.isSource } satisfies RouteContext),
  );
