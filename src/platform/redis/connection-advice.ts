import { connectionFault, type Endpoint } from '../../../libs/connection-faults';

/** What to do about an answer of Redis to a new connection, by its first word. */
const ADVICE: Readonly<Record<string, string>> = {
  WRONGPASS: 'it refuses this user or password: correct them, or create the user there.',
  NOAUTH: 'it asks for a password, and none is set.',
  NOPERM: 'this user lacks rights: give it those of docs/security.md.',
  LOADING: 'it is still loading its data: wait.',
  MASTERDOWN: 'its master is away.',
  MISCONF: 'it cannot save its data and refuses writes: look at its log and its disk.',
  DENIED: 'it runs in protected mode: give it a password.',
};

/** Returns why Redis cannot serve and what to change, as the rest of a sentence. */
export async function redisFault(error: unknown, at: Endpoint | undefined): Promise<string> {
  const { message = String(error), cause } = Object(error) as { message?: string; cause?: unknown };
  const advice = ADVICE[/^-?([A-Z]+)/.exec(message)?.[1] ?? ''];
  if (advice !== undefined) return advice;
  return (at && (await connectionFault(cause ?? error, at))) ?? message;
}
