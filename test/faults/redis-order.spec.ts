import { RedisOrder } from './redis-order';

const key = (what: string) => `rp:{01}:1:${what}`;
const GRAB_KEYS = ['rp:{01}:journal', ...['gate', 'state', 'packets', 'claims', 'waitlist'].map(key)];

let order: RedisOrder;
let nowMs: number;

beforeEach(() => {
  order = new RedisOrder();
  nowMs = 1_000;
});

/** A call of a client, and the commands that its script sends. */
function run(call: string[], ...commands: string[][]): void {
  order.see(nowMs++, call, false);
  for (const command of commands) order.see(nowMs++, command, true);
}

describe('the order in which Redis runs commands', () => {
  beforeEach(() => {
    script(['HSET', key('state'), 'status', 'open'], ['RPUSH', key('packets'), '1:100', '2:100']);
  });

  function script(...commands: string[][]): void {
    run(['evalsha', 'sha', '1', key('state')], ...commands);
  }

  function grab(userId: string, ...commands: string[][]): void {
    const args = ['1', '1', userId, 'owner'];
    run(['evalsha', 'sha', '6', ...GRAB_KEYS, ...args], ['GET', key('gate')], ...commands);
  }

  const soldOutFor = (userId: string): boolean[] => {
    run(['ping']);
    return order.askedFor('1', userId).map(({ soldOut }) => soldOut);
  };

  const hold = (userId: string, packet: string) => ['HSET', key('claims'), userId, packet];

  it('shows nothing left for a user only when every packet is taken or kept for someone else', () => {
    grab('u1');
    script(['LTRIM', key('packets'), '0', '-2'], ['ZADD', key('waitlist'), '5', 'u2']);
    grab('u1');
    grab('u2');
    expect(soldOutFor('u1')).toEqual([false, true]);
    expect(soldOutFor('u2')).toEqual([false]);
  });

  it('counts the packets that several users take at once', () => {
    run(
      ['evalsha', 'sha', '6', ...GRAB_KEYS, '1', '3', 'u1', 'u2', 'u3', 'owner'],
      ['RPOP', key('packets'), '3'],
      ['HSET', key('claims'), 'u1', '2:100', 'u2', '1:100'],
    );
    expect(['u1', 'u2', 'u3'].map((userId) => soldOutFor(userId))).toEqual([[false], [false], [true]]);
  });

  it('finds every activity in a call that looks at several', () => {
    const keys = ['1', '9'].flatMap((id) =>
      ['state', 'packets', 'claims', 'waitlist'].map((what) => `rp:{01}:${id}:${what}`),
    );
    run(['evalsha', 'sha', '9', 'rp:{01}:installation', ...keys, 'status'], ['TIME']);
    run(['ping']);
    expect(['1', '9'].map((id) => order.looksAt(id, 1).length)).toEqual([1, 1]);
  });

  it('notices when a packet that a user held comes back, and does not mistake a load for that', () => {
    script(['RPUSH', key('packets'), '3:100'], ['HSET', key('state'), 'packetCursor', '3']);
    run(['ping']);
    expect(order.cameBackAtMs('1')).toBe(0);
    script(['HDEL', key('claims'), 'u1'], ['LPUSH', key('packets'), '4:100']);
    run(['ping']);
    expect(order.cameBackAtMs('1')).toBeGreaterThan(0);
  });

  it('does not count a call that the server did not run', () => {
    run(['evalsha', 'sha', '6', ...GRAB_KEYS, '1', '1', 'u1', 'owner']);
    expect(soldOutFor('u1')).toEqual([]);
  });

  it('does not call an activity sold out if it is not open', () => {
    script(['UNLINK', key('state'), key('packets')]);
    grab('u1');
    expect(soldOutFor('u1')).toEqual([false]);
  });

  it('leaves other users only the packets that remain after the waiting users', () => {
    script(['ZADD', key('waitlist'), '5', 'u1']);
    grab('u8', hold('u8', '2:100'), ['RPOP', key('packets')]);
    grab('u9', hold('u9', '1:100'), ['RPOP', key('packets')]);
    run(['ping']);
    expect(order.faultsOf('1')).toEqual(['u9 overtook 1 who wait, with 1 packets free']);
  });

  it('serves waiting users in the order in which they joined', () => {
    script(
      ['ZADD', key('waitlist'), '5', 'u1'],
      ['ZADD', key('waitlist'), '6', 'u2'],
      ['ZADD', key('waitlist'), '7', 'u3'],
    );
    script(hold('u3', '2:100'), ['LTRIM', key('packets'), '0', '-2'], ['ZREM', key('waitlist'), 'u3']);
    run(['ping']);
    expect(order.faultsOf('1')).toEqual(['u3 was served at place 3 when 2 packets were free']);
  });

  it('lets a user enter the waiting list at the end, or at their earlier place', () => {
    script(['ZADD', key('waitlist'), '5', 'u1'], ['ZADD', key('waitlist'), '6', 'u2']);
    script(['ZREM', key('waitlist'), 'u1'], ['ZADD', key('waitlist'), '5', 'u1']);
    expect(order.faultsOf('1')).toEqual([]);
    script(['ZADD', key('waitlist'), '4', 'u3']);
    expect(order.faultsOf('1')).toEqual(['u3 got another place in the waiting list than the last']);
  });

  it('continues from a snapshot, and reports where it has lost track', () => {
    const is = { activityId: '1', shard: 1, status: 'open', free: 0, holders: [], waiters: [] };
    expect(order.differences([is])).toEqual([
      'lost track of activity 1 in shard 1: 2 packets, 0 holders, 0 waiting',
    ]);
    order.restart([is]);
    expect(order.differences([is])).toEqual([]);
  });
});

/** Activity 1 has two parts, in shards 1 and 2 of a cluster. */
describe('the parts of one activity, in the order in which Redis runs commands,', () => {
  const TAGS = ['{1-qkzf}', '{2-ab}'];

  beforeEach(() => {
    for (const part of [0, 1])
      script(
        part,
        ['HSET', key(part, 'state'), 'status', 'open'],
        ['RPUSH', key(part, 'packets'), `${part + 1}:100`],
      );
  });

  const key = (part: number, what: string) => `rp:${TAGS[part]}:1:${what}`;
  const keysOf = (part: number, ...whats: string[]) => whats.map((what) => key(part, what));

  const script = (part: number, ...commands: string[][]): void =>
    run(['evalsha', 'sha', '1', key(part, 'state')], ...commands);

  /** `sendTo` and `visits` of grab-part.lua do not matter here. */
  function draw(part: number, userIds: string[], ...commands: string[][]): void {
    const keys = [
      `rp:${TAGS[part]}:journal`,
      ...keysOf(part, 'state', 'packets', 'claims', 'waitlist', 'away'),
    ];
    const args = ['1', '2', '', '0', String(userIds.length), ...userIds, 'owner'];
    run(['evalsha', 'sha', '6', ...keys, ...args], ['HMGET', key(part, 'state'), 'status'], ...commands);
  }

  const take = (part: number, userId: string): string[][] => [
    ['RPOP', key(part, 'packets'), '1'],
    ['HSET', key(part, 'claims'), userId, `${part + 1}:100`],
  ];

  function look(part: number): void {
    const keys = [`rp:${TAGS[part]}:installation`, ...keysOf(part, 'state', 'packets', 'claims', 'waitlist')];
    run(['evalsha', 'sha', '5', ...keys, 'status'], ['LLEN', key(part, 'packets')]);
  }

  const looksAt = (part: number): boolean[] => {
    run(['ping']);
    return order.looksAt('1', 1 + part).map(({ soldOut }) => soldOut);
  };

  it('are counted separately', () => {
    draw(0, ['u1'], ...take(0, 'u1'));
    expect([looksAt(0), looksAt(1)]).toEqual([[true], []]);
    look(1);
    expect(looksAt(1)).toEqual([false]);
    draw(1, ['u2', 'u3'], ...take(1, 'u2'));
    expect(looksAt(1)).toEqual([false, true]);
  });

  it('are each recorded when a draw asks them for a user', () => {
    draw(0, ['u9'], ...take(0, 'u9'));
    draw(0, ['u1']);
    draw(1, ['u1'], ...take(1, 'u1'));
    run(['ping']);
    expect(order.askedFor('1', 'u1').map(({ soldOut, ofParts }) => [soldOut, ofParts])).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  it('are not counted as seen by a grab that does not know of them', () => {
    const keys = [`rp:${TAGS[0]}:journal`, ...keysOf(0, 'gate', 'state', 'packets', 'claims', 'waitlist')];
    run(['evalsha', 'sha', '6', ...keys, '1', '1', 'u1', 'owner'], ['GET', key(0, 'gate')]);
    expect(looksAt(0)).toEqual([]);
    expect(order.askedFor('1', 'u1').map(({ ofParts }) => ofParts)).toEqual([false]);
  });

  it('have nothing for a waiting user, because the list serves them', () => {
    script(0, ['ZADD', key(0, 'waitlist'), '5', 'u1']);
    draw(0, ['u1']);
    look(0);
    expect(looksAt(0)).toEqual([true, true]);
    expect(order.askedFor('1', 'u1').map(({ soldOut }) => soldOut)).toEqual([true]);
  });

  it('keep the order of the waiting users in the part where they wait', () => {
    script(0, ['ZADD', key(0, 'waitlist'), '5', 'u1']);
    draw(1, ['u8'], ...take(1, 'u8'));
    run(['ping']);
    expect(order.faultsOf('1')).toEqual([]);
    draw(0, ['u9'], ...take(0, 'u9'));
    run(['ping']);
    expect(order.faultsOf('1')).toEqual(['u9 overtook 1 who wait, with 1 packets free']);
  });
});
