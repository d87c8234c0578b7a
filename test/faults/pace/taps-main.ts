import { setTimeout as pause } from 'node:timers/promises';
import { Connection, request } from '../../bench/load';
import { tokenOf } from '../api-call';
import type { TapAnswer, TapOrder } from './taps';

const REPORT_EVERY_MS = 200;
const REOPEN_AFTER_MS = 50;

/** The users of one rain, who tap in turn until they have won. */
class Pool {
  private readonly taps = new Map<string, Buffer>();
  private readonly winners = new Set<string>();
  private turn = 0;

  constructor(
    readonly activityId: string,
    private readonly userIds: readonly string[],
  ) {}

  /** Once all have won, they go on as before. */
  next(): string {
    const { userIds, winners } = this;
    do this.turn = (this.turn + 1) % userIds.length;
    while (winners.has(userIds[this.turn]!) && winners.size < userIds.length);
    return userIds[this.turn]!;
  }

  tapOf(userId: string): Buffer {
    let tap = this.taps.get(userId);
    if (!tap) {
      tap = request('POST', `/v1/activities/${this.activityId}/grabs`, tokenOf(userId));
      this.taps.set(userId, tap);
    }
    return tap;
  }

  hasWon(userId: string): void {
    this.winners.add(userId);
  }
}

const { activityIds, users, ports, connections, perSecond } = JSON.parse(process.argv[2]!) as TapOrder;
const userIds = Array.from({ length: users.count }, (_, i) => `${users.name}-${i}`);
const pools = activityIds.map((id) => new Pool(id, userIds));
const free: { readonly port: number; readonly connection: Connection }[] = [];
const tries = new Map<number, Promise<void>>();
let answers: TapAnswer[] = [];
let [due, missed, underWay, isOver] = [0, 0, 0, false];

async function connect(port: number): Promise<void> {
  while (!isOver) {
    const connection = await Connection.open(port).catch(() => undefined);
    if (connection) return void free.push({ port, connection });
    await reachable(port);
  }
}

/** One connection alone tries again and again, for all that a dead process has cut off. */
function reachable(port: number): Promise<void> {
  const known = tries.get(port);
  if (known) return known;
  const trying = tryOpen(port).finally(() => tries.delete(port));
  tries.set(port, trying);
  return trying;
}

async function tryOpen(port: number): Promise<void> {
  while (!isOver) {
    const connection = await Connection.open(port).catch(() => undefined);
    if (connection) return connection.close();
    await pause(REOPEN_AFTER_MS);
  }
}

/** A tap for which no connection is free is not made: it would wait and then be one of many at once. */
function send(pool: Pool): void {
  const way = free.shift();
  if (way) void tap(pool, way);
  else missed += 1;
}

async function tap(pool: Pool, way: (typeof free)[number]): Promise<void> {
  const { activityId } = pool;
  const userId = pool.next();
  underWay += 1;
  const sentAtMs = Date.now();
  const reply = await way.connection.ask(pool.tapOf(userId)).catch(() => undefined);
  const question = { activityId, userId, sentAtMs, answeredAtMs: Date.now() };
  underWay -= 1;
  if (!reply) {
    answers.push(question);
    return connect(way.port);
  }
  free.push(way);
  const { code, reason, nextAt, redPacketId, amount } = JSON.parse(reply.body) as TapAnswer;
  if (code === '0' || code === '1') pool.hasWon(userId);
  answers.push({ ...question, status: reply.status, code, reason, nextAt, redPacketId, amount });
}

function report(sent: () => void = () => undefined): void {
  process.send!({ answers, missed }, sent);
  [answers, missed] = [[], 0];
}

async function run(): Promise<void> {
  for (let i = 0; i < connections; i++) void connect(ports[i % ports.length]!);
  const reports = setInterval(() => report(), REPORT_EVERY_MS);
  for (const beganAt = performance.now(); !isOver; await pause(1))
    for (; due < ((performance.now() - beganAt) * perSecond) / 1_000; due++) send(pools[due % pools.length]!);
  while (underWay > 0) await pause(1);
  clearInterval(reports);
  report(() => process.exit());
}

process.on('message', () => (isOver = true));
process.on('disconnect', () => process.exit());
void run();
