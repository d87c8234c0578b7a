import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../../kit/session';

type Message = { readonly wanted: true } | { readonly token: string } | { readonly signedOut: true };

interface SharedSessionOptions {
  readonly session: Session;
  /** The API of this console: one origin may serve those of several installations. */
  readonly api: string;
  /** Whether this tab, as it is, may take the token of another tab. */
  readonly accepts: (token: string) => boolean;
  /** Signs this tab out as well. */
  readonly onSignedOut: () => void;
}

/**
 * Shares a sign-in among the tabs of this browser, by messages that only pages of this origin receive: a new
 * tab asks the others, and nothing is stored. What renews a token stays in the tab that has it, because
 * services take a second use of it for theft.
 *
 * @returns what tells the other tabs that the user has signed out
 */
export function useSharedSession({ session, api, ...options }: SharedSessionOptions): () => void {
  const latest = useRef(options);
  latest.current = options;
  const channel = useRef<BroadcastChannel | undefined>(undefined);
  useEffect(() => {
    const tabs = new BroadcastChannel(`hongbao.console ${api}`);
    const tell = (message: Message) => tabs.postMessage(message);
    const share = (token: string | undefined) => {
      if (token !== undefined) tell({ token });
    };
    tabs.onmessage = ({ data }: MessageEvent<Message>) => {
      if ('wanted' in data) share(session.token);
      else if ('signedOut' in data) latest.current.onSignedOut();
      else if (latest.current.accepts(data.token)) session.use(data.token);
    };
    channel.current = tabs;
    const forget = session.onChange(share);
    if (session.token === undefined) tell({ wanted: true });
    return () => {
      forget();
      tabs.close();
    };
  }, [session, api]);
  return () => channel.current?.postMessage({ signedOut: true } satisfies Message);
}
