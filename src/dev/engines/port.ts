import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

const HOST = '127.0.0.1';

/** Ports of outgoing connections lie above this range. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** Longer than a server takes to listen, even on a busy machine. Meanwhile, a claim keeps alive what made it. */
const CLAIM_MS = 20_000;

/** No other caller gets the port until a server had time to listen on it. */
export async function freePort(first = FIRST_PORT, last = LAST_PORT): Promise<number> {
  for (;;) {
    const port = randomInt(first, last);
    if ((await claims(port)) && (await isPortFree(port))) return port;
  }
}

/** Claims a port by its UDP number: no server here uses it, and the kernel frees it at an exit. */
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

/** Returns why no process could listen on the port at this moment. */
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

/** Returns the first bytes of an answer; empty if there is none within a second. */
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
