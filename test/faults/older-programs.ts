import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { apply, type Edit } from './edit';

const TERMS = join('src', 'core', 'activity', 'activity-terms.js');

/** Turns programs into ones from before tickets, limits, audiences and the activity format, which check no term. */
const EDITS: readonly Edit[] = [
  {
    file: join('libs', 'redis-scripts', 'state-format.js'),
    from: 'const STATE_FORMAT_MAX = 7;',
    to: 'const STATE_FORMAT_MAX = 4;',
  },
  { file: TERMS, from: 'const isNewer = ({ format })=>', to: 'const isNewer = ({ format })=>false && ' },
  { file: TERMS, from: 'const formatOf = (row)=>', to: 'const formatOf = (row)=>1 || ' },
  {
    file: join('src', 'core', 'activity', 'activity.repository.js'),
    from: `admission, audience, sponsor_id as "sponsorId", limits is not null as "hasLimits"`,
    to: `'open' as admission, 'public' as audience, sponsor_id as "sponsorId", false as "hasLimits"`,
  },
  {
    file: join('src', 'core', 'grab', 'confirm', 'confirm.sql'),
    from: `status = 'active' and limits is null`,
    to: `status = 'active'`,
  },
];

/** Copies programs and makes the copy older. Returns its directory, below the packages. */
export function makeOlderPrograms(dist: string): string {
  const older = mkdtempSync(join(dist, 'older-'));
  for (const part of ['src', 'libs', 'migrations', 'web', 'package.json'])
    cpSync(join(dist, part), join(older, part), { recursive: true });
  for (const edit of EDITS) apply(edit, older);
  return older;
}
