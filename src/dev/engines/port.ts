import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

const HOST = '127.0.0.1';

/**
 * The range is below the ports of outgoing connections, one of which could take a port before its
 * user starts.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** The limit is longer than any server takes to listen. */
const CLAIM_MS = 60_000;

/**
 * Returns a free port of 127.0.0.1. No other caller gets it until a server had time to listen on
 * it.
 */
export async function freePort(first = FIRST_PORT, last = LAST_PORT): Promise<number> {
  for (;;) {
    const port = randomInt(first, last);
    if ((await claims(port)) && (await isPortFree(port))) return port;
  }
}

/**
 * Tells whether this process has the port now: of several that look for one at the same moment,
 * only one may get it. A claim is the UDP port of that number, which no server here uses, and which
 * the kernel frees when a process dies.
 */
function claims(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const claim = createSocket('udp4').unref();
    claim.once('error', () => resolve(false));
    claim.bind({ port, address: HOST, exclusive: true }, () => {
      setTimeout(() => claim.close(), CLAIM_MS).unref();
      resolve(true);
    });
  });
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await portFault(port)) === undefined;
}

/**
 * Returns why no process could listen on a port of 127.0.0.1 at this moment; undefined when one
 * could.
 */
export function portFault(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(FAULTS[code!] ?? `is unusable (${code})`),
    );
    server.listen(port, HOST, () => server.close(() => resolve(undefined)));
  });
}

const FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken',
  EACCES: 'is for privileged users only (below 1024 on most machines)',
};

/**
 * Returns the first bytes that a server answers to a request, as text; empty when there is no
 * answer within a second.
 */
export function ask(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST, timeout: 1000 });
    const finish = (answer: string) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => socket.write(request));
    socket.once('data', (bytes) => finish(bytes.toString()));
    for (const event of ['error', 'end', 'timeout']) socket.once(event, () => finish(''));
  });
}
