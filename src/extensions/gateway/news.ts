import type { InboxEntry, Position } from '../../../libs/redis-scripts';
import { type EventSink, readEntry } from '../notification';

/** The events of one `watch`, sent until the client watches something else. */
export class News implements EventSink {
  /** A gateway connection checks its token itself. */
  readonly lastsMs = Infinity;
  private stopped = false;
  private then?: () => void;

  constructor(
    private readonly client: { readonly isOpen: boolean },
    private readonly write: (text: string) => void,
  ) {}

  get isOpen(): boolean {
    return !this.stopped && this.client.isOpen;
  }

  send(entries: readonly InboxEntry[]): void {
    for (const entry of entries) {
      const { event, data } = readEntry(entry);
      this.write(JSON.stringify({ event, eventId: entry.position, data }));
    }
  }

  resync(position: Position): void {
    this.write(JSON.stringify({ event: 'resync', eventId: position, data: {} }));
  }

  /** The gateway sends pings, and the answer to `watch` contains the position. */
  beat(): void {}

  /** The gateway of a leaving server ends its connections, each at its own moment. */
  end(): void {}

  whenClosed(then: () => void): void {
    this.then = then;
  }

  stop(): void {
    this.stopped = true;
    this.then?.();
  }
}
