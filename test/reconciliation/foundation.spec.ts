import type { EntityManager } from 'typeorm';
import { loadConfig } from '../../src/platform/config';
import { APP_ROLE } from '../../src/platform/postgres';
import { Foundation, freshRules, type Inspection, RULES } from '../../src/core/reconciliation/foundation';
import { schema } from '../../src/schema';
import { CONFIRM_ALL, CONFIRM_FREE } from '../harness/confirm-functions';
import { books, shareBooks } from '../harness/shared-books';

shareBooks();
const inspect = (db: Pick<EntityManager, 'query'> = books.dataSource) =>
  new Foundation(books.config, schema).inspect(db);

/** Inspects the schema with some changes, and undoes them. */
async function inspectAfter(...harm: string[]): Promise<Inspection> {
  const runner = books.dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    for (const sql of harm) await runner.query(sql);
    return await inspect(runner.manager);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

const faultsAfter = async (...harm: string[]): Promise<readonly string[]> =>
  (await inspectAfter(...harm)).faults;

const remarkAfter = async (...harm: string[]): Promise<string | undefined> =>
  (await inspectAfter(...harm)).remark;

/** SQL that changes one place in a database function, and fails if there is no such place. */
function replaced(name: string, from: string, to: string): string {
  return `
    do $do$
    declare
      ours text := pg_get_functiondef('${name}'::regprocedure);
    begin
      assert strpos(ours, $from$${from}$from$) > 0;
      execute replace(ours, $from$${from}$from$, '${to}');
    end $do$`;
}

/** Names and tables of all constraints, or of all triggers. */
const named = (kind: 'Constraint' | 'Trigger') =>
  Object.keys(RULES)
    .filter((rule) => rule.startsWith(kind))
    .map((rule) => {
      const [, name, , table] = rule.split(' ') as [string, string, string, string];
      return { name, table };
    });

describe('the foundation of the promise', () => {
  it('is complete after the migrations, and every rule is checked (otherwise run: npm run rules)', async () => {
    expect(await freshRules(books.dataSource)).toEqual(RULES);
    const { examined, faults } = await inspect();
    expect(faults).toEqual([]);
    expect(examined).toBeGreaterThan(Object.keys(RULES).length);
  });

  it('includes the constraints and triggers that money depends on', () => {
    expect(RULES).toMatchObject({
      'Constraint account_balance_not_negative of account': `CHECK (((kind = 'funding'::text) OR (balance_minor >= 0)))`,
      'Constraint claim_user_once of claim': 'UNIQUE (activity_id, user_id)',
      'Constraint claim_packet_once of claim': 'UNIQUE (activity_id, packet_no)',
      'Constraint transfer_once of transfer':
        'UNIQUE NULLS NOT DISTINCT (kind, source_id, activity_id); activity_id may be null',
      'Trigger append_only of transfer': expect.stringContaining('BEFORE DELETE OR UPDATE OR TRUNCATE'),
    });
  });

  it.each(named('Constraint'))(
    'is missing when constraint $name of $table is dropped',
    async ({ table, name }) => {
      const faults = await faultsAfter(`alter table ${table} drop constraint ${name} cascade`);
      expect(faults).toContain(`Constraint ${name} of ${table} is missing.`);
    },
  );

  const disabled = (name: string, table: string) =>
    expect.stringMatching(
      new RegExp(`^Trigger ${name} of ${table} is CREATE TRIGGER .*; disabled, not CREATE TRIGGER `),
    );

  it.each(named('Trigger'))(
    'is missing when trigger $name of $table is dropped or disabled',
    async ({ table, name }) => {
      expect(await faultsAfter(`drop trigger ${name} on ${table}`)).toEqual([
        `Trigger ${name} of ${table} is missing.`,
      ]);
      for (const state of ['disable', 'enable replica'])
        expect(await faultsAfter(`alter table ${table} ${state} trigger ${name}`)).toEqual([
          disabled(name, table),
        ]);
    },
  );

  it.each(['transfer_other', 'transfer_credit', 'transfer_credit_0'])(
    'is missing when the trigger of the partition %s is dropped or disabled',
    async (table) => {
      expect(await faultsAfter(`drop trigger append_only on ${table}`)).toEqual([
        `Trigger append_only of ${table} is missing.`,
      ]);
      expect(await faultsAfter(`alter table ${table} disable trigger append_only`)).toEqual([
        disabled('append_only', table),
      ]);
    },
  );

  it('includes partitions that are created during the check', async () => {
    const made = await books.dataSource.transaction('REPEATABLE READ', async (tx) => {
      await tx.query('select from pg_class limit 1');
      await books.dataSource.query(`select setval('activity_id_seq', 9999)`);
      await books.creations.makePartitions();
      return inspect(tx);
    });
    expect(made.faults).toEqual([]);
    expect((await inspect()).examined).toBeGreaterThan(made.examined);
  });

  it('is missing when any function is dropped or emptied', async () => {
    const functions = await books.dataSource.query<{ name: string }[]>(
      `select oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace`,
    );
    expect(functions.length).toBeGreaterThan(2);
    for (const { name } of functions) {
      expect(await faultsAfter(`drop function ${name} cascade`)).toContain(`Function ${name} is missing.`);
      const faults = await faultsAfter(
        `update pg_proc set prosrc = 'begin return; end' where oid = '${name}'::regprocedure`,
      );
      expect(faults).toEqual([expect.stringContaining(`Function ${name} is not as `)]);
    }
  });

  it.each([
    ['another lock', replaced(CONFIRM_ALL, 'for key share', 'for share')],
    ['no status', replaced(CONFIRM_FREE, `and status = 'active'`, '')],
    ['no settings', `alter function ${CONFIRM_ALL} reset all`],
    ['the rights of its owner', `alter function ${CONFIRM_FREE} security definer`],
    ['no refusal', replaced('refuse_change()', 'raise exception', 'raise notice')],
  ])('is incomplete when a function was replaced by hand with one that has %s', async (_, sql) => {
    expect(await faultsAfter(sql)).toEqual([
      expect.stringMatching(/^Function \w+\(.*\) is not as (confirm\/confirm\.sql|migrations) made it\.$/),
    ]);
  });

  it('is incomplete when only the functions of another program exist', async () => {
    expect(await faultsAfter(`update stored_function set checksum = 'of another text'`)).toEqual([
      'The functions of activity/partitions.sql are not those of this program.',
      'The functions of confirm/confirm.sql are not those of this program.',
    ]);
  });

  it('is incomplete when a constraint of the same name has another meaning', async () => {
    const faults = await faultsAfter(
      'alter table claim drop constraint claim_user_once',
      'alter table claim add constraint claim_user_once unique (user_id, activity_id, packet_no)',
    );
    expect(faults).toEqual([
      'Constraint claim_user_once of claim is UNIQUE (user_id, activity_id, packet_no), not UNIQUE (activity_id, user_id).',
    ]);
  });

  it('is incomplete when a constraint was never validated, or its index is not valid', async () => {
    const once = 'UNIQUE NULLS NOT DISTINCT (kind, source_id, activity_id)';
    const faults = await faultsAfter(
      'alter table transfer drop constraint transfer_amount_positive',
      'alter table transfer add constraint transfer_amount_positive check (amount_minor > 0) not valid',
      `update pg_index set indisvalid = false where indexrelid = 'transfer_once'::regclass`,
    );
    expect(faults).toEqual([
      'Constraint transfer_amount_positive of transfer is CHECK ((amount_minor > 0)) NOT VALID, not CHECK ((amount_minor > 0)).',
      `Constraint transfer_once of transfer is ${once}; its index is not valid; activity_id may be null, not ${once}; activity_id may be null.`,
    ]);
  });

  it('is incomplete when ids no longer follow the order in which they are taken', async () => {
    for (const change of ['cache 32', 'increment by 2', 'cycle'])
      expect(await faultsAfter(`alter sequence transfer_id_seq ${change}`)).toEqual([
        expect.stringMatching(/^Sequence transfer_id_seq is increment .*, not increment 1 cache 1\.$/),
      ]);
  });

  it('is incomplete when a column used by rules may be null', async () => {
    const faults = await faultsAfter('alter table claim alter column user_id drop not null');
    expect(faults).toEqual([
      'Constraint claim_user_once of claim is UNIQUE (activity_id, user_id); user_id may be null, not UNIQUE (activity_id, user_id).',
    ]);
  });

  it.each([
    ['grant update on transfer', `may update transfer.`],
    ['grant delete on claim', `may delete claim.`],
    ['grant update (amount_minor) on packet', `may update packet.amount_minor.`],
    ['grant truncate on audit_log', `may truncate audit_log.`],
    ['grant update (owner_id) on account', `may update account.owner_id.`],
    ['grant delete on account', `may delete account.`],
  ])('is incomplete after "%s to the role of the application"', async (grant, fault) => {
    expect(await faultsAfter(`${grant} to ${APP_ROLE}`)).toEqual([`Role ${APP_ROLE} ${fault}`]);
    expect(await faultsAfter(`${grant} to public`)).toEqual([`Role ${APP_ROLE} ${fault}`]);
  });

  it('is incomplete when the role of the application may create tables or owns one', async () => {
    expect(await faultsAfter(`grant create on schema public to ${APP_ROLE}`)).toEqual([
      `Role ${APP_ROLE} may create public.`,
    ]);
    const owned = await faultsAfter(
      `grant create on schema public to ${APP_ROLE}`,
      `alter table transfer owner to ${APP_ROLE}`,
    );
    expect(owned).toEqual(expect.arrayContaining([`Role ${APP_ROLE} may update transfer.`]));
  });

  it('is left to a newer release if that may have changed it, and a remark says so', async () => {
    const newer = `insert into migrations (timestamp, name, serves)
                   select 1, 'FromTheFuture', max(name) from migrations where id = (select max(id) from migrations)`;
    const harm = [
      'alter table claim drop constraint claim_amount_positive',
      'drop trigger append_only on transfer',
      `grant update on transfer to ${APP_ROLE}`,
    ];
    expect(await faultsAfter(...harm)).toHaveLength(3);
    expect(await faultsAfter(...harm, newer)).toEqual([]);
    expect(await remarkAfter(newer)).toContain('FromTheFuture');
    expect(await faultsAfter(newer, `drop function ${CONFIRM_ALL}`)).toEqual([
      `Function ${CONFIRM_ALL} is missing.`,
    ]);
  });

  it.each([
    'synchronous_commit = off',
    'session_replication_role = replica',
    'default_transaction_isolation = serializable',
  ])('is incomplete when connections of a role run with %s', async (setting) => {
    const faults = await faultsAfter(`alter role ${APP_ROLE} set ${setting}`);
    expect(faults).toEqual([`Connections of ${APP_ROLE} run with ${setting.replaceAll(' ', '')}.`]);
  });

  it('is incomplete when a crash would empty a table', async () => {
    const faults = await faultsAfter('alter table webhook set unlogged');
    expect(faults).toEqual(['Table webhook is unlogged: a crash empties it.']);
  });

  it('is incomplete when the server may lose commits, which only servers of tests may', async () => {
    const secret = 'no-sample-0123456789-abcdefghij-klmnop';
    const config = loadConfig({
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://u@h/d',
      REDIS_URL: 'redis://x',
      JWT_SECRET: secret,
    });
    const { faults } = await new Foundation(config, schema).inspect(books.dataSource);
    expect(faults).toContain('Postgres runs with fsync=off.');
    const kept = { ...config, DATABASE_FSYNC_BY_PLATFORM: true };
    const { faults: byPlatform } = await new Foundation(kept, schema).inspect(books.dataSource);
    expect(byPlatform.filter((fault) => /fsync|full_page/.test(fault))).toEqual([]);

    await books.dataSource.transaction(async (tx) => {
      await tx.query(`set local default_transaction_isolation = 'repeatable read'`);
      expect((await new Foundation(config, schema).inspect(tx)).faults).toContain(
        'Postgres runs with default_transaction_isolation=repeatable read.',
      );
    });
  });
});
