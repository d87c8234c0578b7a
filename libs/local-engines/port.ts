import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

const HOST = '127.0.0.1';

/** Below the ports that the kernel gives to outgoing connections: one of those could take a port before its user starts. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** A port of 127.0.0.1 that nobody uses at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isPortFree(port)) return port;
  }
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
