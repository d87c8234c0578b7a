import type { RawData, WebSocket } from 'ws';
import type { Session } from '../../platform/http';
import { BEHIND_BYTES_MAX } from '../notification';
import { CLOSE } from './close-code';
import { type Frame, idInUse, readFrame } from './frame';
import type { FrameService, Sender } from './frame.service';
import { FrameReply } from './frame-reply';
import { tooManyUnanswered } from './gateway.error';
import { News } from './news';

/** The most frames that may wait for their answers. A player has one or two. */
export const UNANSWERED_MAX = 16;

/** A client that continues after this many refusals in a row ignores them: its connection ends. */
const REFUSED_IN_A_ROW_MAX = 100;

/** The most pings between two of the server's. The library cuts off a client that sends 60 at once. */
export const PINGS_MAX = 30;

const TOO_OFTEN = 429;
const NOT_BELIEVED = 401;

export class GatewayConnection implements Sender {
  /** True when anything came since the last ping. */
  private isAlive = true;
  private pings = 0;
  private news?: News;
  private watching?: Promise<unknown>;
  private unanswered?: Set<string>;
  private refusedInARow = 0;
  private ending?: readonly [code: number, reason: string];

  constructor(
    private readonly socket: WebSocket,
    readonly session: Session,
    private readonly frames: FrameService,
  ) {
    socket.on('message', (data, isBinary) => this.hear(data, isBinary));
    socket.on('ping', () => this.hearPing());
    socket.on('pong', () => (this.isAlive = true));
    socket.on('close', () => this.news?.stop());
    // The library ends the connection, and its code names the reason.
    socket.on('error', () => undefined);
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  get hearsNews(): boolean {
    return this.news?.isOpen ?? false;
  }

  inTurn<T>(watch: () => Promise<T>): Promise<T> {
    const turn = Promise.resolve(this.watching).then(watch);
    this.watching = turn.catch(() => undefined);
    return turn;
  }

  beginNews(): News {
    this.news?.stop();
    return (this.news = new News(this, (text) => this.send(text)));
  }

  /** Ends the connection of a client that has sent nothing since the last beat. */
  beat(): void {
    if (!this.isAlive) return this.socket.terminate();
    this.isAlive = false;
    this.pings = 0;
    this.socket.ping();
  }

  leave(): void {
    this.end(CLOSE.leaving, 'This server is shutting down.');
  }

  endToken(): void {
    this.end(CLOSE.tokenEnded, 'The token is no longer valid.');
  }

  /** Ends the connection when every accepted frame has its answer. Later frames are ignored. */
  private end(code: number, reason: string): void {
    this.ending ??= [code, reason];
    if (!this.unanswered?.size) this.socket.close(...this.ending);
  }

  private hear(data: RawData, isBinary: boolean): void {
    this.isAlive = true;
    if (this.ending) return;
    if (isBinary) return this.end(CLOSE.notOurProtocol, 'Frames are text.');
    // The library joins the parts of a frame into one buffer.
    void this.answerFrame(this.accept(readFrame((data as Buffer).toString())));
  }

  private hearPing(): void {
    this.isAlive = true;
    if (++this.pings > PINGS_MAX) this.end(CLOSE.tooMany, 'Too many pings.');
  }

  /** Returns the frame if it may be answered, or else with the fault that it is refused for. */
  private accept(frame: Frame): Frame {
    const { id } = frame;
    if (id === null) return frame;
    const unanswered = (this.unanswered ??= new Set());
    if (unanswered.has(id)) return idInUse(id);
    if (unanswered.size >= UNANSWERED_MAX)
      return { ...frame, fault: tooManyUnanswered(`One connection may have ${UNANSWERED_MAX}.`) };
    unanswered.add(id);
    return frame;
  }

  private async answerFrame(frame: Frame): Promise<void> {
    const reply = new FrameReply(frame.id, (text) => this.send(text));
    await this.frames.answerFrame(this, frame, reply);
    if (!frame.fault) this.unanswered!.delete(frame.id!);
    this.judge(reply.statusCode);
    if (this.ending) this.end(...this.ending);
  }

  private judge(status: number): void {
    if (status === NOT_BELIEVED) this.endToken();
    this.refusedInARow = status === TOO_OFTEN ? this.refusedInARow + 1 : 0;
    if (this.refusedInARow >= REFUSED_IN_A_ROW_MAX) this.end(CLOSE.tooMany, 'Too many frames.');
  }

  /** Cuts off a client that does not read, before it costs much. */
  private send(text: string): void {
    if (!this.isOpen) return;
    this.socket.send(text);
    if (this.socket.bufferedAmount > BEHIND_BYTES_MAX) this.socket.terminate();
  }
}
