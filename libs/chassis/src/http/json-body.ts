import { isUtf8 } from 'node:buffer';
import { repeatedMember, repeatedText } from '@tollgate/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import type { RouteContext } from './route.js';

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Throws for an object with two members of the same name: a parser keeps the last, but its sender may have meant the first, and a guess
 * could cost money.
 */
function refuseRepeated(text: string): void {
  const member = repeatedMember(text);
  if (member !== undefined)
    throw new AppError('invalid', 'member-repeated', repeatedText(member), { params: { member } });
}

/** Answered as any other body that cannot be read. */
class NotUtf8 extends Error {
  readonly statusCode = 400;
}

/**
 * Parses bodies from clients, strictly. Bodies of internal calls need no such check, because our own services write them; those of
 * unknown calls are not parsed, so that the reply is that there is no such call.
 */
export function jsonParser(instance: FastifyInstance) {
  const parse = instance.getDefaultJsonParser('error', 'error');
  return (request: FastifyRequest, body: string | Buffer, done: Done): void => {
    const { internal, row } = (request.routeOptions.config ?? {}) as RouteContext;
    if (isUnknown(request)) return done(null);
    // Node would put replacement characters for what is no UTF-8, and store them.
    if (typeof body !== 'string' && !isUtf8(body)) return done(row?.judgesBody ? null : new NotUtf8());
    const text = body.toString('utf8');
    try {
      if (internal === undefined) refuseRepeated(text);
    } catch (error) {
      return done(error as Error);
    }
    void parse(request, text, row?.judgesBody ? (error, parsed) => done(null, error ? undefined : parsed) : done);
  };
}

/** Whether no call has the request's method and path: it reached no route, or only the gateway's for all other paths. */
const isUnknown = ({ is404, routeOptions }: FastifyRequest): boolean => is404 || routeOptions.url === '/*';
