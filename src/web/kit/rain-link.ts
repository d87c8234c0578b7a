import type { Schema } from '../../../libs/client';

type Audience = Pick<Schema<'AudienceDto'>, 'kind' | 'shareCode'>;

/** The fragment of the address of a rain: its share code, or a sign that its page has to ask for a password. */
export function keyFragment({ kind, shareCode }: Audience): string {
  if (shareCode !== undefined) return `#c=${shareCode}`;
  return kind === 'password' ? '#password' : '';
}
