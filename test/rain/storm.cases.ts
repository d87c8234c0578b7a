import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { childrenOf } from '../../src/dev/engines';
import { rain } from '../harness/shared-installation';

const CLIENTS = 1_000;
const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: api\r\nConnection: close\r\n\r\n';

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function statusLine(socket: Socket): Promise<string> {
  return (await text(socket)).split('\r\n', 1)[0]!;
}

describe.each([
  ['one process', '1'],
  ['two processes', '2'],
])('an API of %s', (_, processes) => {
  it('answers a thousand clients that connected while it could not accept connections', async () => {
    const api = await rain.startAnother('main.js', { API_PROCESSES: processes });
    const { pid } = api.program;
    const pids = processes === '1' ? [pid] : await childrenOf(pid);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const port = Number(new URL(api.url).port);
    try {
      const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => connected(port)));
      for (const socket of sockets) socket.write(REQUEST);
      for (const pid of pids) process.kill(pid, 'SIGCONT');
      expect(new Set(await Promise.all(sockets.map(statusLine)))).toEqual(new Set(['HTTP/1.1 200 OK']));
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
      await api.program.stop();
    }
  });
});
