import type { PageSettings } from './settings';

/** The server offers guests in development; this is not part of the API. */
export async function guestToken({ api }: PageSettings): Promise<string> {
  const response = await fetch(`${api}/rain/guests`, { method: 'POST' });
  const { token } = (await response.json()) as { token: string };
  return token;
}
