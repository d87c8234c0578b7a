import type { WebSocket } from 'ws';
import { gatewaySocket } from '../harness/gateway-client';
import { ANSWER_WITHIN_MS } from './api-call';
import type { Keys } from './audience';

export interface TapAnswer {
  readonly status: number;
  // Any field that the gateway sends.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

interface Question extends Keys {
  readonly activityId: string;
  readonly ticket?: string;
}

interface Awaited {
  readonly resolve: (answer: TapAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * After this many refusals in a row, the process may be an older program, which never stops refusing. The number is
 * odd, so that a user who takes turns between two processes reconnects to the other one.
 */
const REFUSALS_MAX = 9;

/** Users who tap over WebSockets. Each keeps a connection until it ends, or until its process refuses every tap. */
export class GatewayTaps {
  private readonly players = new Map<string, Promise<Player>>();

  /** @throws Error if it is not answered in time */
  async tap(apiUrl: string, userId: string, token: string, question: Question): Promise<TapAnswer> {
    const player = await this.playerOf(apiUrl, userId, token);
    return player.grab(question);
  }

  /** Ends the connections of these users. */
  leave(userIds: Iterable<string>): void {
    for (const userId of userIds)
      this.players.get(userId)?.then(
        (player) => player.leave(),
        () => undefined,
      );
  }

  private playerOf(apiUrl: string, userId: string, token: string): Promise<Player> {
    const known = this.players.get(userId);
    if (known) return known;
    const forget = () => this.players.delete(userId);
    const player = Player.connect(apiUrl, token, forget);
    player.catch(forget);
    this.players.set(userId, player);
    return player;
  }
}

class Player {
  private readonly awaited = new Map<string, Awaited>();
  private asked = 0;
  private refusals = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.take(data.toString()));
    socket.on('close', (code) => this.fail(new Error(`The gateway connection ended with ${code}.`)));
  }

  leave(): void {
    this.socket.close();
  }

  static connect(apiUrl: string, token: string, whenClosed: () => void): Promise<Player> {
    return new Promise((resolve, reject) => {
      const socket = gatewaySocket(apiUrl, token, { handshakeTimeout: ANSWER_WITHIN_MS });
      socket.on('error', reject).on('close', whenClosed);
      socket.once('open', () => resolve(new Player(socket)));
    });
  }

  /** Gives up a connection that is silent for too long, with all questions over it. */
  async grab(question: Question): Promise<TapAnswer> {
    const id = String(++this.asked);
    const patience = setTimeout(() => this.socket.terminate(), ANSWER_WITHIN_MS);
    try {
      return await new Promise<TapAnswer>((resolve, reject) => {
        this.awaited.set(id, { resolve, reject });
        const frame = JSON.stringify({ id, op: 'grab', ...question });
        this.socket.send(frame, (error) => error && reject(error));
      });
    } finally {
      clearTimeout(patience);
    }
  }

  private take(text: string): void {
    const { id, ...answer } = JSON.parse(text) as TapAnswer & { readonly id: string };
    this.refusals = answer.status === 503 ? this.refusals + 1 : 0;
    this.awaited.get(id)?.resolve(answer);
    this.awaited.delete(id);
    if (this.refusals >= REFUSALS_MAX) this.socket.terminate();
  }

  private fail(error: Error): void {
    for (const { reject } of this.awaited.values()) reject(error);
    this.awaited.clear();
  }
}
