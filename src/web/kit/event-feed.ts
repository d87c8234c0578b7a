import { type ApiClient, ApiProblem, type Schema } from '../../../libs/client';
import { pause } from './patience';

/** Something that has happened, as the API names it; `resync`: something may have been missed. */
export interface FeedEvent {
  readonly event: string;
  readonly data: Partial<Schema<'PacketEventDto'>>;
}

export interface FeedListener {
  onEvent(event: FeedEvent): void;
  /** Whether the connection stands. */
  onConnection(isUp: boolean): void;
  /** The token is not accepted any more. */
  onSignedOut(): void;
}

const RECONNECT_MS = 1_000;
const RECONNECT_MS_MAX = 15_000;

/**
 * The events of one person and one activity, for as long as the signal lets. A connection that ends is made again, and goes on
 * where the last one was. It is read with `fetch`, because `EventSource` cannot send a token in a header.
 */
export async function listen(
  api: ApiClient,
  activityId: string,
  listener: FeedListener,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | undefined;
  let waitMs = RECONNECT_MS;
  while (!signal.aborted) {
    try {
      const query = { activityId, ...(lastEventId !== undefined && { lastEventId }) };
      const bytes = await api.stream('/v1/me/events', { accept: 'text/event-stream', query, signal });
      listener.onConnection(true);
      waitMs = RECONNECT_MS;
      for await (const { id, event, data } of messagesIn(bytes)) {
        lastEventId = id ?? lastEventId;
        if (data !== undefined) listener.onEvent({ event, data: JSON.parse(data) as FeedEvent['data'] });
      }
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) return listener.onSignedOut();
    }
    if (signal.aborted) return;
    listener.onConnection(false);
    await pause(waitMs * (1 + Math.random() / 2), signal);
    waitMs = Math.min(waitMs * 2, RECONNECT_MS_MAX);
  }
}

interface Message {
  readonly id?: string;
  readonly event: string;
  /** Missing where the message only says how far the reader has come. */
  readonly data?: string;
}

async function* messagesIn(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = bytes.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const blocks = (text + decoder.decode(chunk.value, { stream: true })).split('\n\n');
    text = blocks.pop()!;
    yield* blocks.map(messageOf);
  }
}

/** Each field is one line, as our API writes them. */
function messageOf(block: string): Message {
  const fields = block
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]);
  return { event: 'message', ...(Object.fromEntries(fields) as Partial<Message>) };
}
