import { applyDecorators, HttpCode, Post, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { InternalCall, OwnedRouteRow } from '@tollgate/contracts';

export const ROUTE = 'tollgate:route';
export const INTERNAL_CALL = 'tollgate:internal-call';

/** Configuration of our Fastify routes: the route row, or the internal call that the route answers. */
export interface RouteContext {
  row?: OwnedRouteRow;
  internal?: string;
  /** Answer without first updating the service's read models, because other services fill their own from this reply. */
  isSource?: boolean;
  /** The handler reads the body itself, after it has decided to accept it. */
  readsBody?: boolean;
}

/** Takes method, path, role and limits from the row. A POST is answered with 200 instead of Nest's 201. */
export const Route = (row: OwnedRouteRow): MethodDecorator =>
  applyDecorators(
    RequestMapping({ method: RequestMethod[row.method], path: row.path }),
    HttpCode(200),
    SetMetadata(ROUTE, row),
    RouteConfig({ row } satisfies RouteContext),
  );

/** Answers an internal call: the handler gets the parsed input, and its result is the reply without an envelope. */
export const Answers = (call: InternalCall): MethodDecorator =>
  applyDecorators(
    Post(`/internal/${call.name}`),
    HttpCode(200),
    SetMetadata(INTERNAL_CALL, call),
    RouteConfig({ internal: call.name, isSource: call.isSource } satisfies RouteContext),
  );
