import { Inject, Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config';
import {
  durabilityFaults,
  excessGrants,
  functionFaults,
  type Queries,
  type Schema,
  SCHEMA,
  schemaDifference,
} from '../../platform/postgres';
import rules from './rules.json';

export interface Inspection {
  readonly examined: number;
  /** The faults, a line each. */
  readonly faults: readonly string[];
  /** The rules that were not examined, and why. */
  readonly remark?: string;
}

/** Each rule's kind, name and table → the text that Postgres gives for it. */
export type Rules = Readonly<Record<string, string>>;

/** The rules of a freshly migrated database, written by `npm run rules` and reviewed. */
export const RULES: Rules = rules;

/** Settings of a role or a database under which a commit may be lost or triggers do not fire. */
const UNSAFE_SETTINGS =
  '^(session_replication_role=(replica|local)|synchronous_commit=(off|false|no|0)|default_transaction_isolation=(?!read committed).*)$';

const REMARK = 'Constraints, triggers and grants are to be verified by the newer release, which has run';

/**
 * I14: the safeguards are in place: constraints, triggers, functions, the limits of the
 * application's role, and a server that keeps what it has committed. All other checks show what has
 * happened.
 */
@Injectable()
export class Foundation {
  constructor(
    private readonly config: AppConfig,
    @Inject(SCHEMA) private readonly schema: Schema,
  ) {}

  /**
   * Rules and rights are not examined when a newer release has migrated the database: this program
   * cannot know them.
   */
  async inspect(db: Queries): Promise<Inspection> {
    const { newer } = await schemaDifference(db, this.schema);
    const known = newer.length > 0 ? [] : await this.rulesOf(db);
    const inspections = [
      ...known,
      await functionsOf(db, this.schema),
      await settingsOf(db),
      await unloggedTables(db),
      await this.durabilityOf(db),
    ];
    return {
      examined: inspections.reduce((sum, { examined }) => sum + examined, 0),
      faults: inspections.flatMap(({ faults }) => faults),
      remark: newer.length > 0 ? `${REMARK} ${newer.join(', ')}.` : undefined,
    };
  }

  private async rulesOf(db: Queries): Promise<Inspection[]> {
    return [await inspectRules(db), await excessGrants(db, this.schema.grants, this.config.DATABASE_ROLE)];
  }

  /** Durability is not examined in tests, as at the start: throw-away servers may lose commits. */
  private async durabilityOf(db: Queries): Promise<Inspection> {
    if (this.config.NODE_ENV === 'test') return { examined: 0, faults: [] };
    return { examined: 4, faults: await durabilityFaults(db, this.config.DATABASE_FSYNC_BY_PLATFORM) };
  }
}

async function inspectRules(db: Queries): Promise<Inspection> {
  const [found, parts] = [await rulesIn(db), await ledgerParts(db)];
  const wanted = [
    ...Object.entries(RULES),
    ...parts.map((part): [string, string] => [appendOnly(part), saysOfPart(part)]),
  ];
  const faults = wanted.flatMap(([rule, says]) => faultOf(rule, found[rule], says));
  return { examined: wanted.length, faults };
}

function faultOf(rule: string, found: string | undefined, wanted: string): string[] {
  if (found === wanted) return [];
  if (found === undefined) return [`${rule} is missing.`];
  const isText = wanted.includes('\n');
  return [isText ? `${rule} is not as migrations made it.` : `${rule} is ${found}, not ${wanted}.`];
}

/** Leaves out the rules of the ledger's partitions, which follow from that of the ledger. */
export async function freshRules(db: Queries): Promise<Rules> {
  const ofParts = new Set((await ledgerParts(db)).map(appendOnly));
  return Object.fromEntries(Object.entries(await rulesIn(db)).filter(([rule]) => !ofParts.has(rule)));
}

/**
 * A constraint does not restrict null, so the columns that may be null are part of its text. Ids follow the order in which
 * rows of one owner are written only if no session takes several from the sequence at once.
 */
async function rulesIn(db: Queries): Promise<Rules> {
  const rows = await db.query<{ rule: string; says: string }[]>(
    `select format('Constraint %s of %s', conname, relname) as rule,
            pg_get_constraintdef(pg_constraint.oid)
              || case when not (indisvalid and indisready and indislive) then '; its index is not valid' else '' end
              || coalesce((select '; ' || string_agg(attname, ', ' order by attnum) || ' may be null'
                             from pg_attribute
                            where attrelid = conrelid and attnum = any(conkey) and not attnotnull), '') as says
       from pg_constraint
       join pg_class on pg_class.oid = conrelid
       left join pg_index on contype in ('p', 'u') and indexrelid = conindid
      where contype <> 'n' and not relispartition and relname <> 'migrations'
        and connamespace = current_schema()::regnamespace
     union all
     select format('Trigger %s of %s', tgname, relname),
            pg_get_triggerdef(pg_trigger.oid) || case when tgenabled in ('O', 'A') then '' else '; disabled' end
       from pg_trigger
       join pg_class on pg_class.oid = tgrelid
      where not tgisinternal and relnamespace = current_schema()::regnamespace
     union all
     select format('Function %s()', proname), prosrc from pg_proc
      where prorettype = 'trigger'::regtype and pronamespace = current_schema()::regnamespace
     union all
     select format('Sequence %s', relname),
            format('increment %s cache %s%s', seqincrement, seqcache, case when seqcycle then ' cycle' else '' end)
       from pg_sequence
       join pg_class on pg_class.oid = seqrelid
      where relnamespace = current_schema()::regnamespace and relname <> 'migrations_id_seq'
      order by rule`,
  );
  return Object.fromEntries(rows.map(({ rule, says }) => [rule, says]));
}

/**
 * A trigger guards only the table that a statement names, so each partition has its own. Functions
 * like `pg_partition_tree` would also see partitions that came after the snapshot, whose triggers
 * are not in it.
 */
async function ledgerParts(db: Queries): Promise<string[]> {
  const parts = await db.query<{ table: string }[]>(
    `with recursive part as (
       select inhrelid from pg_inherits where inhparent = to_regclass('transfer')
       union all
       select pg_inherits.inhrelid from part join pg_inherits on inhparent = part.inhrelid
     )
     select relname as table from part join pg_class on pg_class.oid = inhrelid`,
  );
  return parts.map(({ table }) => table);
}

const appendOnly = (table: string): string => `Trigger append_only of ${table}`;

const saysOfPart = (table: string): string =>
  RULES[appendOnly('transfer')]!.replace('public.transfer', `public.${table}`);

async function functionsOf(db: Queries, { functions }: Schema): Promise<Inspection> {
  const faults = (await functionFaults(db, functions)).map(({ message }) => message);
  return { examined: functions.length, faults };
}

async function settingsOf(db: Queries): Promise<Inspection> {
  const rows = await db.query<{ setting: string; role: string | null }[]>(
    `select setting, rolname as role
       from pg_db_role_setting
       left join pg_roles on pg_roles.oid = setrole
      cross join unnest(setconfig) as setting
      where setdatabase in (0, (select oid from pg_database where datname = current_database()))
        and lower(setting) ~ $1`,
    [UNSAFE_SETTINGS],
  );
  const faults = rows.map(
    ({ setting, role }) => `Connections of ${role ?? 'every role'} run with ${setting}.`,
  );
  return { examined: 2, faults };
}

async function unloggedTables(db: Queries): Promise<Inspection> {
  const rows = await db.query<{ table: string }[]>(
    `select relname as table from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'u'
      order by relname`,
  );
  return { examined: 1, faults: rows.map(({ table }) => `Table ${table} is unlogged: a crash empties it.`) };
}
