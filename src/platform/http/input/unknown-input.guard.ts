import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { FastifyRequest } from 'fastify';
import { must } from '../../../../libs/problem';
import { unknownField, unsupportedMediaType, wrongMediaType } from '../problems/http.error';
import { JSON_TYPE, UnreadBody } from './unread-body';

/** Headers in which other systems carry the user. Here only the token names the caller. */
const IDENTITY_HEADERS = ['x-user-id', 'x-user', 'user-id'];

type Handler = ReturnType<ExecutionContext['getHandler']>;
type Source = 'body' | 'query';

/**
 * Refuses what a route would silently ignore: a body or query sent to a route that takes none, or
 * an identity header. Other routes refuse unknown fields while they validate. Pages and files that anyone may read
 * ignore what they do not read.
 */
@Injectable()
export class UnknownInputGuard implements CanActivate {
  private readonly unused = new WeakMap<Handler, readonly Source[]>();

  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const unused = this.unusedSources(context);
    const isForAnybody = request.caller === undefined && request.stranger === undefined;
    if (isForAnybody && unused.includes('body')) return true;
    refuseIdentity(request.headers);
    refuseUnread(request, !unused.includes('body'));
    for (const source of unused) refuseFields(source, request[source]);
    return true;
  }

  private unusedSources(context: ExecutionContext): readonly Source[] {
    const handler = context.getHandler();
    const known = this.unused.get(handler);
    if (known !== undefined) return known;
    const sources = unusedSourcesOf(context.getClass(), handler);
    this.unused.set(handler, sources);
    return sources;
  }
}

/** @throws unknownField */
export function refuseIdentity(headers: IncomingHttpHeaders): void {
  for (const header of IDENTITY_HEADERS) if (headers[header] !== undefined) throw refusal('header', header);
}

/** Nest notes a route's arguments as `<type>:<position>`. */
function unusedSourcesOf(controller: object, handler: Handler): readonly Source[] {
  const args: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name);
  const used = new Set(Object.keys(args ?? {}).map((arg) => arg.split(':')[0]));
  const sources: Source[] = [];
  if (!used.has(String(RouteParamtypes.BODY))) sources.push('body');
  if (!used.has(String(RouteParamtypes.QUERY))) sources.push('query');
  return sources;
}

/** @throws unsupportedMediaType */
function refuseUnread(request: FastifyRequest, takesBody: boolean): void {
  if (!(request.body instanceof UnreadBody)) return;
  if (takesBody) throw wrongMediaType([JSON_TYPE]);
  if (!request.body.isEmpty) throw unsupportedMediaType('This request takes no body: leave it out.');
  request.body = undefined;
}

/** Only a route that reads its body while it arrives receives a stream. */
function refuseFields(source: Source, value: unknown): void {
  if (value === undefined || value === null || value instanceof Readable) return;
  if (typeof value !== 'object' || Array.isArray(value)) throw refusal(source, source);
  for (const field in value) throw refusal(source, field);
}

function refusal(source: string, field: string): Error {
  const fault = must.beKnown(`is not a ${source} field of this request`);
  const fields = [{ field: field.slice(0, 64), ...fault }];
  return unknownField(`This request takes no such ${source} field.`, { fields });
}
