import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where a connection was tried. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly usesTls: boolean;
}

const ANSWER_WITHIN_MS = 1_000;

export function endpointOf(url: URL, defaultPort: number, usesTls: boolean): Endpoint {
  const host = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(url.port || defaultPort), usesTls };
}

const CA =
  'name the file of its CA in NODE_EXTRA_CA_CERTS, in the environment and not in .env, because Node reads it at its start.';

/** What to do about errors of names, of the network and of TLS, by their code in Node. */
const ADVICE: Readonly<Record<string, (where: string, host: string) => string>> = {
  ENOTFOUND: (_, host) => `the host ${host} is unknown: correct its name.`,
  EAI_AGAIN: (_, host) => `the name server does not answer for ${host}: check DNS on this host.`,
  ECONNREFUSED: (where) => `nothing listens at ${where}: start it, or correct host and port.`,
  EHOSTUNREACH: (where) => `no route leads to ${where}: check the network between.`,
  ENETUNREACH: (where) => `no route leads to ${where}: check the network between.`,
  ETIMEDOUT: (where) => `${where} does not answer: let this host through its firewall or security group.`,
  ENOENT: (where) => `${where} does not exist: start the server, or correct the path.`,
  EACCES: (where) => `this user may not use ${where}.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (where) => `${where} has a self-signed certificate: ${CA}`,
  SELF_SIGNED_CERT_IN_CHAIN: (where) =>
    `a CA that this host does not know signed the certificate of ${where}: ${CA}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (where) =>
    `a CA that this host does not know signed the certificate of ${where}: ${CA}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (where) =>
    `a CA that this host does not know signed the certificate of ${where}: ${CA}`,
  CERT_HAS_EXPIRED: (where) => `the certificate of ${where} has expired: renew it there.`,
  CERT_NOT_YET_VALID: (where) => `the certificate of ${where} is not valid yet: compare the clocks.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (where, host) =>
    `the certificate of ${where} is for other names than ${host}: use one of those.`,
};

/**
 * Returns why a connection cannot be opened and what to change, as the rest of a sentence; undefined for
 * errors reported by the server itself.
 */
export async function connectionFault(error: unknown, at: Endpoint): Promise<string | undefined> {
  const where = at.host.startsWith('/') ? `the socket ${at.host}` : `${at.host}:${at.port}`;
  const isCutOff = CUT_OFF_CODES.includes(codeOf(error)) || CUT_OFF.test(messageOf(error));
  const saysNothing = isCutOff || codeOf(error) === 'ETIMEDOUT';
  if (codeOf(error) === 'EPROTO' || (at.usesTls && saysNothing && (await isPlain(at))))
    return `${where} does not speak TLS, which the setting asks for.`;
  if (!at.usesTls && isCutOff && (await speaksTls(at)))
    return `${where} speaks only TLS, and the setting does not ask for it.`;
  const advice = ADVICE[codeOf(error)];
  if (advice) return advice(where, at.host);
  return isCutOff
    ? `${where} does not answer as it should, or ends the connection: check that it is the right port.`
    : undefined;
}

/** A server that waits for more of its own protocol answers a TLS handshake with silence. */
const isPlain = async (at: Endpoint): Promise<boolean> => (await accepts(at)) && !(await speaksTls(at));

function accepts({ host, port }: Endpoint): Promise<boolean> {
  return succeeds(connect({ host, port, timeout: ANSWER_WITHIN_MS }), 'connect');
}

/** Whether a TLS handshake succeeds there, even with an untrusted certificate. */
export function speaksTls({ host, port }: Endpoint): Promise<boolean> {
  const options = { host, port, rejectUnauthorized: false, timeout: ANSWER_WITHIN_MS };
  return succeeds(connectTls(options), 'secureConnect');
}

function succeeds(socket: Socket, event: string): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    socket.once(event, () => resolve(true));
    for (const failure of ['error', 'timeout', 'close']) socket.once(failure, () => resolve(false));
  }).finally(() => socket.destroy());
}

/** An error of several addresses has the code of the first one. */
function codeOf(error: unknown): string {
  const { code, errors } = Object(error) as { code?: unknown; errors?: unknown[] };
  return typeof code === 'string' ? code : errors ? codeOf(errors[0]) : '';
}

/** Errors of the network need not be of the class `Error` of this world. */
const messageOf = (error: unknown): string => (Object(error) as { message?: string }).message ?? '';

/** Without an answer, or with one that the driver cannot read. */
const CUT_OFF_CODES = ['ECONNRESET', 'EPIPE', 'ABORT_ERR'];
const CUT_OFF =
  /terminated|closed|timeout|timed out|aborted|Protocol error|unexpected|wrong version number|packet length/i;

/**
 * Returns the messages of an error and of its causes, because errors of `fetch` say what happened only in
 * their cause.
 */
export const reasonOf = (error: unknown): string => messagesOf(error).join(': ');

function messagesOf(error: unknown): string[] {
  if (typeof error === 'string') return [error];
  if (typeof error !== 'object' || error === null) return [];
  const { message, cause } = error as { message?: string; cause?: unknown };
  return [message || codeOf(error), ...messagesOf(cause)];
}
