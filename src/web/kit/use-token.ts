import { useEffect, useState } from 'preact/hooks';
import type { Session } from './session';

/** The token of the person at the page, now and whenever it changes. Where there is none, the app around is asked. */
export function useToken(session: Session): string | undefined {
  const [token, setToken] = useState(session.token);
  useEffect(() => {
    if (session.token === undefined) session.requestToken();
    return session.onChange(setToken);
  }, [session]);
  return token;
}
