import type { PageSettings } from '../kit/settings';

/**
 * Returns a token of a new guest, in development, where the server offers them. It is no part of
 * the API.
 */
export async function guestToken({ api }: PageSettings): Promise<string> {
  const response = await fetch(`${api}/rain/guests`, { method: 'POST' });
  const { token } = (await response.json()) as { token: string };
  return token;
}
