import type { ServerResponse } from 'node:http';
import type { InboxEntry, Position } from '../../../libs/redis-scripts';
import type { PublicData } from './notification';

/** A client with this many unread bytes is cut off, and reconnects with its last position. */
export const BEHIND_BYTES_MAX = 64 * 1024;

/** The client reconnects after this time, and its token is checked again. */
const STREAM_MAX_MS = 15 * 60_000;

/** The connection on which events reach one client. */
export interface EventSink {
  readonly isOpen: boolean;
  readonly lastsMs: number;
  send(entries: readonly InboxEntry[]): void;
  /** Notifies the client that it may have missed events and has to read the current state. */
  resync(position: Position): void;
  /**
   * Sends the position, so that a client without events knows where to resume, and finds out
   * whether it is still there.
   */
  beat(position: Position): void;
  end(): void;
  /** Calls `then` once, when the client has gone. */
  whenClosed(then: () => void): void;
}

export const readEntry = ({ text }: InboxEntry): { event: string; data: PublicData } =>
  JSON.parse(text) as { event: string; data: PublicData };

/** Server-Sent Events. */
export class EventStream implements EventSink {
  readonly lastsMs = STREAM_MAX_MS;

  constructor(private readonly response: ServerResponse) {}

  get isOpen(): boolean {
    const { writableEnded, destroyed, req } = this.response;
    return !writableEnded && !destroyed && !req.socket.destroyed;
  }

  send(entries: readonly InboxEntry[]): void {
    this.write(entries.map(toText).join(''));
  }

  resync(position: Position): void {
    this.write(`id: ${position}\nevent: resync\ndata: {}\n\n`);
  }

  /** A position without an event keeps proxies from closing a silent connection. */
  beat(position: Position): void {
    this.write(`id: ${position}\n\n`);
  }

  end(): void {
    this.response.end();
  }

  whenClosed(then: () => void): void {
    this.response.once('close', then);
  }

  private write(text: string): void {
    if (!this.isOpen) return;
    this.response.write(text);
    if (this.response.writableLength > BEHIND_BYTES_MAX) this.response.destroy();
  }
}

function toText(entry: InboxEntry): string {
  const { event, data } = readEntry(entry);
  return `id: ${entry.position}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
