import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { timestampOf } from '../../src/platform/postgres/migration';
import { schema } from '../../src/schema';
import { apply } from '../faults/edit';

const last = schema.migrations.at(-1)!.name;
const later = (seconds: number): number => timestampOf(last) + seconds * 1_000;

const ADD = `AddConfirmerToClaim${later(1)}`;
const INDEX = `IndexConfirmersOfClaims${later(2)}`;
const ATTACH = `AttachConfirmersOfClaims${later(3)}`;

/**
 * Adds a column and an index to the table that every winner writes to, while the current programs
 * run. Partitions that are created in the meantime bring their own index.
 */
const MIGRATIONS = `
const lacking = (runner) => runner.query(
  \`select inhrelid::regclass::text as part from pg_inherits as one
     where inhparent = 'claim'::regclass
       and not exists (select from pg_inherits join pg_index on indexrelid = inhrelid
                        where inhparent = 'claim_by_confirmer'::regclass and indrelid = one.inhrelid)\`);
class ${ADD} {
  serves = '${last}';
  async up(runner) {
    await runner.query('alter table claim add column confirmed_by text');
    await runner.query('create index claim_by_confirmer on only claim (confirmed_by)');
  }
}
class ${INDEX} {
  serves = '${last}';
  transaction = false;
  async up(runner) {
    for (const { part } of await lacking(runner)) {
      await runner.query('drop index concurrently if exists ' + part + '_by_confirmer');
      await runner.query('create index concurrently ' + part + '_by_confirmer on ' + part + ' (confirmed_by)');
    }
  }
}
class ${ATTACH} {
  serves = '${last}';
  async up(runner) {
    for (const { part } of await lacking(runner))
      await runner.query('alter index claim_by_confirmer attach partition ' + part + '_by_confirmer');
  }
}
exports.migrations.push(${ADD}, ${INDEX}, ${ATTACH});
`;

/** Edits the confirming function so that it fills the column. */
const EDITS = [
  {
    from: 'insert into claim (activity_id, packet_no, user_id, amount_minor)',
    to: 'insert into claim (confirmed_by, activity_id, packet_no, user_id, amount_minor)',
  },
  { from: 'select reservation.activity_id,', to: `select 'next', reservation.activity_id,` },
];

export interface NextRelease {
  readonly dist: string;
  readonly version: string;
  readonly migrations: readonly string[];
  discard(): void;
}

/** Makes the next release from the built programs; `npm test` builds before it runs. */
export function makeNextRelease(): NextRelease {
  const dist = mkdtempSync(join(resolve('dist'), 'next-'));
  for (const part of ['src', 'libs', 'migrations', 'web', 'package.json'])
    cpSync(resolve('dist', part), join(dist, part), { recursive: true });
  appendFileSync(join(dist, 'migrations', 'index.js'), MIGRATIONS);
  for (const edit of EDITS)
    apply({ file: join('src', 'core', 'grab', 'confirm', 'confirm.sql'), ...edit }, dist);
  return {
    dist,
    version: raiseVersion(join(dist, 'package.json')),
    migrations: [ADD, INDEX, ATTACH],
    discard: () => rmSync(dist, { recursive: true, force: true }),
  };
}

function raiseVersion(file: string): string {
  const { version, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  const raised = `${version}-next`;
  writeFileSync(file, JSON.stringify({ ...rest, version: raised }));
  return raised;
}
