import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Chance } from '../faults/chance';
import { gatewaySocket } from '../harness/gateway-client';
import { hostile, HOSTILE_TEXTS } from './values';

const ANSWER_WITHIN_MS = 15_000;

/** Codes with which the gateway may end a connection because of a frame. */
const CLOSES = [1007, 1008, 1009, 4429];

export interface FrameAnswer {
  readonly id: string | null;
  readonly status: number;
  readonly body: object;
  readonly retryAfter?: number;
}

/** The outcome of a frame: an answer, or the code that ended the connection. */
export type Outcome = FrameAnswer | number;

export const isClose = (outcome: Outcome): outcome is number => typeof outcome === 'number';

/** Makes frames that are right, nearly right or quite wrong. */
export class FrameMaker {
  private made = 0;

  constructor(
    private readonly chance: Chance,
    private readonly activityIds: readonly string[],
  ) {}

  make(): string | Buffer {
    const { chance } = this;
    if (chance.isTrue(0.05)) return chance.pick(HOSTILE_TEXTS);
    const text = JSON.stringify(this.spoilt(this.right()));
    return chance.isTrue(0.01) ? Buffer.from(text) : text;
  }

  private right(): Record<string, unknown> {
    const { chance } = this;
    const id = String(++this.made);
    const activityId = chance.pick([...this.activityIds, '1', '999999']);
    return chance.pick([
      { id, op: 'grab', activityId },
      { id, op: 'grab', activityId },
      { id, op: 'watch', activityIds: [activityId], lastEventId: '1924992000000000' },
      { id, op: 'watch' },
      { id, op: 'ping' },
    ]);
  }

  private spoilt(frame: Record<string, unknown>): unknown {
    const { chance } = this;
    if (chance.isTrue(0.5)) return frame;
    const parts = Object.entries(frame)
      .filter(() => !chance.isTrue(0.1))
      .map(([key, value]) => [key, chance.isTrue(0.2) ? hostile(chance) : value] as const);
    if (chance.isTrue(0.2))
      parts.push([chance.pick(['extra', 'userId', '__proto__', 'token', '']), hostile(chance)]);
    return Object.fromEntries(parts);
  }
}

/** A client that sends frame after frame, and connects again after its connection was ended. */
export class FrameSender {
  private socket?: WebSocket;
  private hear: (outcome: Outcome) => void = () => undefined;

  constructor(
    private readonly apiUrl: string,
    private readonly token: string,
  ) {}

  /** @throws if neither an answer nor an end comes in time */
  async send(frame: string | Buffer): Promise<Outcome> {
    const socket = await this.connected();
    return new Promise((resolve, reject) => {
      const patience = setTimeout(() => reject(new Error('no answer in time')), ANSWER_WITHIN_MS);
      this.hear = (outcome) => {
        clearTimeout(patience);
        resolve(outcome);
      };
      socket.send(frame);
    });
  }

  close(): void {
    this.socket?.terminate();
  }

  private async connected(): Promise<WebSocket> {
    if (this.socket?.readyState === WebSocket.OPEN) return this.socket;
    const socket = gatewaySocket(this.apiUrl, this.token);
    this.socket = socket;
    await once(socket, 'open');
    socket.on('message', (data: Buffer) => this.take(data.toString()));
    socket.on('close', (code) => this.hear(code));
    return socket.on('error', () => undefined);
  }

  /** Ignores news, which come at any time. */
  private take(text: string): void {
    const heard = JSON.parse(text) as FrameAnswer | { readonly event: string };
    if (!('event' in heard)) this.hear(heard);
  }
}

/** Returns the fault of an outcome, apart from its body; undefined if there is none. */
export function faultOfFrame(frame: string | Buffer, outcome: Outcome): string | undefined {
  if (isClose(outcome)) return CLOSES.includes(outcome) ? undefined : `ended with ${outcome}`;
  if (outcome.id !== null && outcome.id !== idIn(frame)) return `answered ${outcome.id}`;
  return undefined;
}

function idIn(frame: string | Buffer): unknown {
  try {
    return (JSON.parse(frame.toString()) as { id?: unknown } | null)?.id;
  } catch {
    return undefined;
  }
}
