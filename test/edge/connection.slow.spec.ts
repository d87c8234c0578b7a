import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Controller, Get } from '@nestjs/common';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { drain, Public, Readiness } from '../../src/platform/http';
import { SampleController, startEdge } from './edge-app';

let release: () => void = () => undefined;

@Controller('slow')
class SlowController {
  @Get()
  @Public()
  async wait() {
    await new Promise<void>((resolve) => (release = resolve));
    return { finished: true };
  }
}

async function listen(): Promise<{ app: NestFastifyApplication; port: number }> {
  const app = await startEdge({}, { controllers: [SampleController, SlowController] });
  await app.listen(0, '127.0.0.1');
  return { app, port: (app.getHttpServer().address() as AddressInfo).port };
}

/** Sends bytes, then `drop` repeatedly, and collects the answer until the connection ends. */
function raw(port: number, bytes: string, drop = ''): { answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  const drops = setInterval(() => drop && socket.write(drop), 100);
  const answer = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('close', () => resolve(text));
    socket.on('error', drop ? () => undefined : reject);
  }).finally(() => clearInterval(drops));
  return { answer };
}

describe('a connection', () => {
  let app: NestFastifyApplication;
  let port: number;

  beforeAll(async () => {
    ({ app, port } = await listen());
  });
  afterAll(() => app.close());

  it('is answered 400 and closed if it does not speak HTTP', async () => {
    const answer = await raw(port, 'HELLO WORLD\r\n\r\n').answer;
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/);
    expect(answer).toContain('"code":"request.malformed"');
  });

  it('is answered 431 and closed if its headers are too large', async () => {
    const answer = await raw(port, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`).answer;
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('is closed in time if its request never arrives or arrives byte by byte, and others are served in the meantime', async () => {
    const headers = 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ';
    const body = 'POST /sample/rains HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n{"na';
    const silentInHeaders = raw(port, headers);
    const silentInBody = raw(port, body);
    const slow = Array.from({ length: 10 }, () => [raw(port, headers, 'x'), raw(port, body, ' ')]).flat();
    const other = await fetch(`http://127.0.0.1:${port}/sample/public`);
    expect(await other.json()).toEqual({ open: true });
    expect(await silentInHeaders.answer).toContain('"code":"request.timed_out"');
    expect(await silentInBody.answer).toMatch(/^HTTP\/1\.1 4/);
    for (const { answer } of slow) expect(await answer).toContain('"code":"request.timed_out"');
  });
});

describe('a server that shuts down', () => {
  it('finishes the request in progress, refuses new connections, then closes the application', async () => {
    const { app, port } = await listen();
    const underWay = fetch(`http://127.0.0.1:${port}/slow`);
    await pause(100);
    const drained = drain(app, 5_000);
    expect(app.get(Readiness).isLeaving).toBe(true);
    await pause(50);
    await expect(fetch(`http://127.0.0.1:${port}/sample/public`)).rejects.toThrow();
    release();
    expect(await (await underWay).json()).toEqual({ finished: true });
    expect(await drained).toBe(true);
  });

  it('closes idle connections at once', async () => {
    const { app, port } = await listen();
    await (await fetch(`http://127.0.0.1:${port}/sample/public`)).text();
    const before = performance.now();
    expect(await drain(app, 5_000)).toBe(true);
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  it('reports when it cuts off work', async () => {
    const { app, port } = await listen();
    const underWay = fetch(`http://127.0.0.1:${port}/slow`).catch(() => undefined);
    await pause(100);
    expect(await drain(app, 200)).toBe(false);
    release();
    await underWay;
  });
});
