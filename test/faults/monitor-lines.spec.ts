import { Redis } from 'ioredis';
import type { Engine } from '../../src/dev/engines';
import { startTestRedis, waitFor } from '../harness/engines';
import { AWKWARD_USER_IDS, VISIBLE } from '../harness/user-ids';
import { type Line, listen } from './monitor-lines';

describe('the lines of MONITOR', () => {
  let engine: Engine;
  let redis: Redis;

  beforeAll(async () => {
    engine = await startTestRedis();
    redis = new Redis(engine.url);
    await redis.ping();
  });

  afterAll(async () => {
    redis.disconnect();
    await engine.stop();
  });

  it('are read exactly as they were sent, whatever characters they contain', async () => {
    const lines: Line[] = [];
    const socket = await listen(engine.url, (line) => lines.push(line));
    const texts = [...AWKWARD_USER_IDS, ...VISIBLE, 'a b', 'a" "b', '\r\n\t\b\u0007\u0000\\x41', ''];
    for (const text of texts) await redis.exists(text, 'and', text);
    await redis.eval(`return redis.call('EXISTS', ARGV[1], 'and', ARGV[1])`, 0, '\\"');
    const heard = () => lines.filter(([, [name]]) => name?.toUpperCase() === 'EXISTS');
    await waitFor(() => heard().some(([, , inScript]) => inScript), { what: 'the last line' });
    socket.destroy();
    expect(heard().map(([, [, ...words]]) => words)).toEqual(
      [...texts, '\\"'].map((text) => [text, 'and', text]),
    );
  });
});
