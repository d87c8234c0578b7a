import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public, streamAnswer } from '../../src/platform/http';
import { app, shareEdge } from './edge-app';

/** Far more chunks than a connection buffers between two ends that do not read. */
const CHUNKS = 2_000;
const CHUNK = `${'x'.repeat(32 * 1024 - 1)}\n`;

interface Side {
  made: number;
  failAt?: number;
  readonly ending: AbortController;
  readonly ended: Promise<void>;
}

let side: Side;

@Controller('stream')
class StreamController {
  @Get()
  @Public()
  stream(@Res() reply: FastifyReply): Promise<void> {
    return streamAnswer(reply, { 'content-type': 'text/plain' }, chunks(), side.ending.signal);
  }
}

let hasEnded: () => void;

async function* chunks(): AsyncGenerator<string> {
  try {
    for (; side.made < CHUNKS; side.made++) {
      if (side.made === side.failAt) throw new Error('It broke.');
      yield CHUNK;
    }
  } finally {
    hasEnded();
  }
}

describe('a streamed answer', () => {
  let url: string;

  shareEdge({}, { controllers: [StreamController] });

  beforeAll(async () => {
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/stream`;
  });

  beforeEach(() => {
    const ended = new Promise<void>((resolve) => (hasEnded = resolve));
    side = { made: 0, ending: new AbortController(), ended };
  });

  async function open(): Promise<IncomingMessage> {
    const request = get(url, { agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  }

  /** Serves other requests in the meantime, to give the producer time. */
  async function untilNothingMoves(): Promise<void> {
    for (let made = -1; made !== side.made;) {
      made = side.made;
      for (let i = 0; i < 100; i++) await (await fetch(`${url}/nothing`)).arrayBuffer();
    }
  }

  it('arrives complete, with the headers of every answer', async () => {
    const response = await open();
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    });
    expect(await text(response)).toHaveLength(CHUNKS * CHUNK.length);
  });

  it('is not produced before its reader reads', async () => {
    const response = await open();
    await untilNothingMoves();
    expect(side.made).toBeLessThan(CHUNKS / 2);
    expect(await text(response)).toHaveLength(CHUNKS * CHUNK.length);
  });

  it('is not produced any further once its reader has left', async () => {
    (await open()).destroy();
    await side.ended;
    expect(side.made).toBeLessThan(CHUNKS / 2);
  });

  it('becomes a problem if it fails before its first chunk', async () => {
    side.failAt = 0;
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([
      500,
      expect.objectContaining({ code: 'internal' }),
    ]);
  });

  it('is cut if it fails later, so that a part does not look like the whole', async () => {
    side.failAt = 100;
    const response = await open();
    expect(response.statusCode).toBe(200);
    await expect(text(response)).rejects.toThrow('aborted');
  });

  it('is cut if its connection is ended', async () => {
    const response = await open();
    side.ending.abort();
    await side.ended;
    await expect(text(response)).rejects.toThrow('aborted');
  });

  it('is not produced for a HEAD request', async () => {
    const response = await fetch(url, { method: 'HEAD' });
    await side.ended;
    expect([response.status, await response.text(), side.made < 10]).toEqual([200, '', true]);
  });
});
