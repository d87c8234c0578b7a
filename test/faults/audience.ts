import { randomBytes } from 'node:crypto';
import type { Chance } from './chance';

export const AUDIENCE_KINDS = ['link', 'people', 'password'] as const;
export type AudienceKind = (typeof AUDIENCE_KINDS)[number];

/** The keys that a user brings to an activity that is not public, as fields of a gateway frame. */
export interface Keys {
  readonly shareCode?: string;
  readonly password?: string;
}

export const headersOf = ({ shareCode, password }: Keys): Record<string, string> => ({
  ...(shareCode !== undefined && { 'share-code': shareCode }),
  ...(password !== undefined && { 'packet-password': encodeURIComponent(password) }),
});

const PASSWORDS = ['恭喜发财', 'Lucky 88', '🧧 ❤️', 'ＦＡ财', '100%'];

/** The `audience` field of a creation request. */
export function audienceBody(kind: AudienceKind, chance: Chance, userIds: readonly string[]): object {
  if (kind === 'people') return { kind, userIds };
  return kind === 'password' ? { kind, password: chance.pick(PASSWORDS) } : { kind };
}

/** Users for whom the activity does not exist, and the keys that they try. */
export const outsidersOf = (activityId: string): Map<string, Keys> =>
  new Map([
    [`outsider-${activityId}-none`, {}],
    [`outsider-${activityId}-guessed`, { shareCode: randomBytes(16).toString('base64url') }],
    [`outsider-${activityId}-wrong`, { password: 'wrong' }],
  ]);
