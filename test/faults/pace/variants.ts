import type { Edit } from '../edit';

/** A fault that is built into the pace, and the complaint that the proof must make about it. */
export interface PaceVariant {
  readonly name: string;
  readonly edit: Edit;
  readonly complaint: RegExp;
}

const UNRELEASED = 'libs/redis-scripts/lua-functions/unreleased.lua';
const HEAD = 'local function unreleased(plans, now)\n';

export const PACE_VARIANTS: readonly PaceVariant[] = [
  {
    name: 'early: packets are released before their time',
    edit: { file: UNRELEASED, from: HEAD, to: `${HEAD}  now = now + 300\n` },
    complaint: /packets were won when/,
  },
  {
    name: 'late: packets are held back after their time',
    edit: { file: UNRELEASED, from: HEAD, to: `${HEAD}  now = now - 500\n` },
    complaint: /was sent away when/,
  },
  {
    name: 'hasty: users are asked to come before the release',
    edit: {
      file: 'src/core/grab/staggered.js',
      from: 'return windowMs > 0 ?',
      to: 'return nextAtMs - 100; return windowMs > 0 ?',
    },
    complaint: /was asked to come -/,
  },
  {
    name: 'stampede: all users are asked to come at one instant',
    edit: {
      file: 'src/core/grab/staggered.js',
      from: 'return windowMs > 0 ?',
      to: 'return nextAtMs; return windowMs > 0 ?',
    },
    complaint: /users were asked to come within the same half second/,
  },
  {
    name: 'sold out: the answer while packets are to come',
    edit: {
      file: 'src/core/grab/tap.service.js',
      from: `case 'not-yet':`,
      to: `case 'not-yet': return { code: '-1', reason: 'sold-out' };`,
    },
    complaint: /heard sold-out before/,
  },
];
