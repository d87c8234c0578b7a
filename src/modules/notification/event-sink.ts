import type { ServerResponse } from 'node:http';
import type { InboxEntry, Position } from '../../../libs/redis-scripts';
import type { EventName, PublicData } from './notification';

/** A client that is this far behind is cut: it comes back and says what it has heard last, and until then costs nothing. */
export const BEHIND_BYTES_MAX = 64 * 1024;

/** After this the client comes back, with a token that is checked again. */
const STREAM_MAX_MS = 15 * 60_000;

/** The way by which events reach one client. */
export interface EventSink {
  readonly isOpen: boolean;
  /** How long it may be used. */
  readonly lastsMs: number;
  send(entries: readonly InboxEntry[]): void;
  /** Something may have been missed: the client has to look for itself. */
  resync(position: Position): void;
  /** Lets a client that has heard nothing yet know where to resume, and finds out whether it is still there. */
  beat(position: Position): void;
  end(): void;
  /** Calls this once, when the client has gone. */
  whenClosed(then: () => void): void;
}

/** An event as its inbox keeps it. */
export const readEntry = ({ text }: InboxEntry): { event: EventName; data: PublicData } =>
  JSON.parse(text) as { event: EventName; data: PublicData };

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

  /** A position and nothing else is no event for clients, and keeps proxies from closing a silent connection. */
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
