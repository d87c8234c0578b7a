import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^Bearer +(\S+) *$/i;

/** Returns the token of a request; undefined when there is none, or another kind of credentials. */
export const bearerToken = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  BEARER.exec(authorization)?.[1];
