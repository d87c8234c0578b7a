import { useEffect, useState } from 'preact/hooks';
import type { FeedEvent, LineListener, Schema } from '../../../libs/client';
import type { Visit } from './visit';

export interface News {
  /** It changes when something has happened to the user's packets or money. */
  readonly round: number;
  /** The thanks that came last. */
  readonly thanks?: Schema<'ThanksEventDto'>;
}

/** However much happens, the lists are read again no more often than this. */
const GATHER_MS = 1_000;

/** Listens for what happens to the user while the page is open. */
export function useNews({ line, session }: Visit): News {
  const [news, setNews] = useState<News>({ round: 0 });
  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let thanks: News['thanks'];
    const tell = () => {
      timer = undefined;
      setNews(({ round }) => ({ round: round + 1, thanks }));
    };
    const listener: LineListener = {
      onEvent: ({ event, data }: FeedEvent) => {
        if (event === 'packet.thanked') thanks = data;
        timer ??= setTimeout(tell, GATHER_MS);
      },
      onConnection: () => undefined,
      onSignedOut: () => session.requestToken(),
    };
    // The connection may have died while the phone slept.
    const look = () => document.visibilityState === 'visible' && void line.check();
    document.addEventListener('visibilitychange', look);
    void line.listen(undefined, listener, over.signal);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
      over.abort();
    };
  }, [line]);
  return news;
}
