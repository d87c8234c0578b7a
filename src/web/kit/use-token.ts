import { useEffect, useState } from 'preact/hooks';
import type { Session } from './session';

/** Returns the token whenever it changes. Without a token, it asks the embedding app. */
export function useToken(session: Session): string | undefined {
  const [token, setToken] = useState(session.token);
  useEffect(() => {
    if (session.token === undefined) session.requestToken();
    return session.onChange(setToken);
  }, [session]);
  return token;
}
