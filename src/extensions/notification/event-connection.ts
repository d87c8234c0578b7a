import type { Inboxes, Position } from '../../../libs/redis-scripts';
import type { EventSink } from './event-sink';

const EVENTS_AT_ONCE = 100;

/** One client's connection: continues reading its inboxes when asked to, and sends the events. */
export class EventConnection {
  private asked = false;
  private reading = false;

  constructor(
    private readonly sink: EventSink,
    private readonly inboxes: Inboxes,
    readonly topics: readonly string[],
    /** The position of the last event that was sent. */
    private position: Position,
  ) {}

  get isOpen(): boolean {
    return this.sink.isOpen;
  }

  /** Sends new events until there are none. A call during the last read makes it read once more. */
  async catchUp(): Promise<void> {
    this.asked = true;
    if (this.reading) return;
    this.reading = true;
    try {
      while (this.asked && this.isOpen) {
        this.asked = false;
        const entries = await this.inboxes.read(this.topics, this.position, EVENTS_AT_ONCE);
        if (entries.length === 0 || !this.isOpen) continue;
        this.position = entries.at(-1)!.position;
        this.sink.send(entries);
        this.asked = true;
      }
    } finally {
      this.reading = false;
    }
  }

  resync(): void {
    this.sink.resync(this.position);
  }

  beat(): void {
    this.sink.beat(this.position);
  }

  end(): void {
    this.sink.end();
  }
}
