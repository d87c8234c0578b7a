import { connect, createServer, type AddressInfo } from 'node:net';

const HOST = '127.0.0.1';

/** A port of 127.0.0.1 that nobody uses at this moment. */
export async function freePort(): Promise<number> {
  return listenBriefly(0);
}

export async function isPortFree(port: number): Promise<boolean> {
  return listenBriefly(port).then(
    () => true,
    () => false,
  );
}

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

function listenBriefly(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, HOST, () => {
      const { port: opened } = server.address() as AddressInfo;
      server.close(() => resolve(opened));
    });
  });
}
