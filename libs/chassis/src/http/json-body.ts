import { isUtf8 } from 'node:buffer';
import { repeatedMember, repeatedText } from '@tollgate/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import type { RouteContext } from './route.js';

type Done = (error: Error | null, body?: unknown) => void;

/** Answered as any other body that cannot be read. */
class NoText extends Error {
  readonly statusCode = 400;
}

/** An escape, or a whole pair of surrogates; the group matches half a pair. Escaped backslashes are consumed, so `\\ud800` is none. */
const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g;
const SUSPECT = /\\u[dD][89a-fA-F]/;

/** Whether a text in the JSON would contain half of a character, which cannot be written as UTF-8. */
function hasHalfCharacter(json: string): boolean {
  if (!SUSPECT.test(json)) return false;
  for (const [, half] of json.matchAll(ESCAPE)) if (half !== undefined) return true;
  return false;
}

/**
 * Throws for an object with two members of the same name: a parser keeps the last, but its sender may have meant the first, and a guess
 * could cost money. Throws for half a character: a replacement character would be stored, which makes one of two different names.
 */
function refuseAmbiguous(text: string): void {
  if (hasHalfCharacter(text)) throw new NoText();
  const member = repeatedMember(text);
  if (member !== undefined)
    throw new AppError('invalid', 'member-repeated', repeatedText(member), { params: { member } });
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
    const text = body.toString('utf8');
    try {
      if (typeof body !== 'string' && !isUtf8(body)) throw new NoText();
      if (internal === undefined) refuseAmbiguous(text);
    } catch (error) {
      if (error instanceof NoText && row?.judgesBody) return done(null);
      return done(error as Error);
    }
    void parse(request, text, row?.judgesBody ? (error, parsed) => done(null, error ? undefined : parsed) : done);
  };
}

/** Whether no call has the request's method and path: it reached no route, or only the gateway's for all other paths. */
const isUnknown = ({ is404, routeOptions }: FastifyRequest): boolean => is404 || routeOptions.url === '/*';
