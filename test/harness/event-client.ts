import type { EventData } from '../../src/core/news';

export interface HeardEvent {
  readonly id: string;
  readonly event: string;
  readonly data: EventData & { readonly messageId: string; readonly [field: string]: unknown };
}

/** A client of `GET /v1/me/events` that reconnects with the last id that it received. */
export class EventClient {
  readonly heard: HeardEvent[] = [];
  returns = 0;
  private readonly abort = new AbortController();
  private readonly ended: Promise<void>;

  private constructor(
    public url: string,
    private readonly token: string,
    private readonly activityId?: string,
    private lastEventId?: string,
  ) {
    this.ended = this.listen();
  }

  static async connect(
    url: string,
    token: string,
    options: { activityId?: string; lastEventId?: string } = {},
  ): Promise<EventClient> {
    const client = new EventClient(url, token, options.activityId, options.lastEventId);
    await client.connected;
    return client;
  }

  readonly connected = new Promise<void>((resolve) => (this.isConnected = resolve));
  private isConnected!: () => void;

  get messageIds(): string[] {
    return this.heard.map(({ data }) => data.messageId);
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.ended;
  }

  private async listen(): Promise<void> {
    while (!this.abort.signal.aborted) {
      await this.hear().catch(() => undefined);
      this.returns++;
    }
  }

  private async hear(): Promise<void> {
    const query = this.activityId === undefined ? '' : `?activityId=${this.activityId}`;
    const headers = {
      authorization: `Bearer ${this.token}`,
      ...(this.lastEventId !== undefined && { 'last-event-id': this.lastEventId }),
    };
    const response = await fetch(`${this.url}/v1/me/events${query}`, { headers, signal: this.abort.signal });
    if (response.status !== 200) throw new Error(await response.text());
    let text = '';
    for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
      this.isConnected();
      const blocks = (text + bytes).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) this.take(block);
    }
  }

  private take(block: string): void {
    const fields = Object.fromEntries(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    this.lastEventId = fields.id!;
    if (fields.data === undefined) return;
    this.heard.push({
      id: fields.id!,
      event: fields.event!,
      data: JSON.parse(fields.data) as HeardEvent['data'],
    });
  }
}
