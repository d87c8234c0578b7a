import { setTimeout as pause } from 'node:timers/promises';
import { tokenOf } from '../bench/api';
import { Connection, connections } from '../bench/load';
import { grab } from '../bench/rains';
import type { Told } from './told';

const CROWD_CONNECTIONS = 64;
const RAIN_CONNECTIONS = 20;
const RAIN_PAUSE_MS = 200;
const RETRY_AFTER_MS = 20;

/** Makes each of these users win. @throws Error unless all do */
export async function winAll(port: number, activityId: string, users: readonly string[]): Promise<Told[]> {
  const told: Told[] = [];
  let next = 0;
  const clients = await connections(CROWD_CONNECTIONS, [port]);
  const client = async (connection: Connection) => {
    for (let user = users[next++]; user !== undefined; user = users[next++])
      told.push(...(await tap(connection, activityId, user)));
  };
  await Promise.all(clients.map(client)).finally(() => clients.forEach((one) => one.close()));
  if (told.length !== users.length) throw new Error(`${told.length} of ${users.length} users won.`);
  return told;
}

/** A rain that continues until it is ended: about a hundred new users a second, who all win. */
export class Rain {
  readonly told: Told[] = [];
  private users = 0;
  private isWanted = true;
  private readonly taps: Promise<unknown>;

  constructor(
    clients: readonly Connection[],
    private readonly activityId: string,
  ) {
    this.taps = Promise.all(clients.map((client) => this.tapOn(client)));
  }

  static async begin(port: number, activityId: string): Promise<Rain> {
    return new Rain(await connections(RAIN_CONNECTIONS, [port]), activityId);
  }

  async end(): Promise<void> {
    this.isWanted = false;
    await this.taps;
  }

  private async tapOn(client: Connection): Promise<void> {
    for (; this.isWanted && client.isOpen; await pause(RAIN_PAUSE_MS))
      this.told.push(...(await tap(client, this.activityId, `rain-${this.activityId}-${this.users++}`)));
    client.close();
  }
}

/** Taps until an answer is not a problem. */
export async function tapUntilAnswered(port: number, activityId: string, userId: string): Promise<void> {
  for (;;) {
    const client = await Connection.open(port);
    const reply = await client.ask(grab(activityId, tokenOf(userId))).finally(() => client.close());
    if (reply.status === 200) return;
    await pause(RETRY_AFTER_MS);
  }
}

/** Returns what the user was told about a packet: nothing if there was no answer, or no packet in it. */
async function tap(client: Connection, activityId: string, userId: string): Promise<Told[]> {
  const reply = await client.ask(grab(activityId, tokenOf(userId))).catch(() => undefined);
  if (reply?.status !== 200) return [];
  const { code, redPacketId, amount } = JSON.parse(reply.body) as Record<string, string>;
  if (code !== '0') return [];
  return [{ activityId, userId, redPacketId: redPacketId!, amount: amount!, atMs: Date.now() }];
}
