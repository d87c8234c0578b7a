import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

const HOST = '127.0.0.1';

/** Below the ports that the kernel gives to outgoing connections: one of those could take a port before its user starts. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** Longer than any server takes to listen. */
const CLAIM_MS = 60_000;

/** A port of 127.0.0.1 that nobody uses at this moment, and that nobody else is given until a server had time to listen on it. */
export async function freePort(first = FIRST_PORT, last = LAST_PORT): Promise<number> {
  for (;;) {
    const port = randomInt(first, last);
    if ((await claims(port)) && (await isPortFree(port))) return port;
  }
}

/**
 * Whether this process has the port now: of several that look for one at the same moment, only one may find it. A claim is the
 * port of that number for UDP, which no server here uses, and which the kernel takes back from a process that dies.
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

/** Why nobody could listen on a port of 127.0.0.1 at this moment; undefined when somebody could. */
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

/** The first bytes that a server answers to a request, as text; empty when nobody answers within a second. */
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
