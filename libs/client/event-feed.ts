import type { ApiClient } from './api-client';
import { ApiProblem } from './api-problem';
import type { NewsFrame } from './operations';

type WithoutId<Frame> = Frame extends unknown ? Omit<Frame, 'eventId'> : never;

/** An event, as the API names it. `resync` means that events may have been missed. */
export type FeedEvent = WithoutId<NewsFrame>;

/** A reader begins after the last event that it knows, or with the next event. */
export interface FeedStart {
  /** Without one, only events of the user are read. */
  readonly activityId?: string;
  readonly lastEventId?: string;
}

export interface FeedReader {
  /** Every event is received from here on. */
  onStart(): void;
  /** @param event is missing where the reader only learns how far it has come */
  onNews(eventId: string | undefined, event?: FeedEvent): void;
}

/** It never opened; it opened and has ended; its token is no longer accepted. */
export type FeedEnd = 'refused' | 'ended' | 'signed-out';

/** Reads server-sent events of one connection. `EventSource` cannot send a token in a header. */
export async function readEvents(
  api: ApiClient,
  start: FeedStart,
  reader: FeedReader,
  signal: AbortSignal,
): Promise<FeedEnd> {
  let end: FeedEnd = 'refused';
  try {
    const bytes = await api.listenToEvents({ ...start }, { signal });
    end = 'ended';
    reader.onStart();
    for await (const { id, event, data } of messagesIn(bytes))
      reader.onNews(
        id,
        data === undefined ? undefined : ({ event, data: JSON.parse(data) as object } as FeedEvent),
      );
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return 'signed-out';
  }
  return end;
}

interface Message {
  readonly id?: string;
  readonly event: string;
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
