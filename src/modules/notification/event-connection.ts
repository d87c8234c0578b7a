import type { ServerResponse } from 'node:http';
import type { InboxEntry, Inboxes, Position } from '../../../libs/redis-scripts';
import type { EventName, PublicData } from './notification';

/** A client that is this far behind is cut: it comes back with its Last-Event-ID, and until then costs nothing. */
const BEHIND_BYTES_MAX = 64 * 1024;
const EVENTS_AT_ONCE = 100;

/** One client that listens: reads on in its inboxes when it is asked to, and writes what it finds as Server-Sent Events. */
export class EventConnection {
  private asked = false;
  private reading = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly inboxes: Inboxes,
    readonly topics: readonly string[],
    /** What it has been sent. */
    private position: Position,
  ) {}

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed && !this.response.req.socket.destroyed;
  }

  /** Sends what is new, until there is nothing more. When asked again during its last look, it looks once more. */
  async catchUp(): Promise<void> {
    this.asked = true;
    if (this.reading) return;
    this.reading = true;
    try {
      while (this.asked && this.isOpen) {
        this.asked = false;
        const entries = await this.inboxes.read(this.topics, this.position, EVENTS_AT_ONCE);
        if (entries.length === 0) continue;
        this.deliver(entries);
        this.asked = true;
      }
    } finally {
      this.reading = false;
    }
  }

  /** Something may have been missed: the client has to look for itself. */
  resync(): void {
    this.write(`id: ${this.position}\nevent: resync\ndata: {}\n\n`);
  }

  /**
   * Sends the position of the client and nothing else, which clients do not take for an event: a client that has heard
   * nothing yet still knows where to resume, proxies do not close a silent connection, and it is found out which
   * clients have gone.
   */
  beat(): void {
    this.write(`id: ${this.position}\n\n`);
  }

  end(): void {
    this.response.end();
  }

  private deliver(entries: readonly InboxEntry[]): void {
    this.position = entries.at(-1)!.position;
    this.write(entries.map(toText).join(''));
  }

  private write(text: string): void {
    if (!this.isOpen) return;
    this.response.write(text);
    if (this.response.writableLength > BEHIND_BYTES_MAX) this.response.destroy();
  }
}

function toText({ position, text }: InboxEntry): string {
  const { event, data } = JSON.parse(text) as { event: EventName; data: PublicData };
  return `id: ${position}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
