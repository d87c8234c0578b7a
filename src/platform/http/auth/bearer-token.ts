import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^Bearer +(\S+) *$/i;

/** Undefined if there is none, or another kind of credentials. */
export const bearerToken = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  BEARER.exec(authorization)?.[1];
