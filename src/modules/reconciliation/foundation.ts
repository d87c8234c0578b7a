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

export interface Inspection {
  readonly examined: number;
  /** What is missing, a line each. */
  readonly faults: readonly string[];
  /** What was not examined. */
  readonly remark?: string;
}

/** Each constraint of every table that money depends on, as Postgres words it. */
export const CONSTRAINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  account: {
    account_pkey: 'PRIMARY KEY (id)',
    account_owner_unique: 'UNIQUE (owner_id, kind, currency)',
    account_kind_known: `CHECK ((kind = ANY (ARRAY['wallet'::text, 'escrow'::text, 'funding'::text])))`,
    account_status_known: `CHECK ((status = ANY (ARRAY['active'::text, 'frozen'::text])))`,
    account_balance_not_negative: `CHECK (((kind = 'funding'::text) OR (balance_minor >= 0)))`,
  },
  activity: {
    activity_pkey: 'PRIMARY KEY (id)',
    activity_status_is_key: 'UNIQUE (id, status)',
    activity_escrow_unique: 'UNIQUE (escrow_account_id)',
    activity_escrow_account_id_fkey: 'FOREIGN KEY (escrow_account_id) REFERENCES account(id)',
    activity_sponsor_account_id_fkey: 'FOREIGN KEY (sponsor_account_id) REFERENCES account(id)',
    activity_total_positive: 'CHECK ((total_minor > 0))',
    activity_packet_count_positive: 'CHECK ((packet_count > 0))',
    activity_parts_positive: 'CHECK ((parts > 0))',
    activity_window_ordered: 'CHECK ((closes_at > opens_at))',
    activity_status_known: `CHECK ((status = ANY (ARRAY['active'::text, 'closed'::text, 'cancelled'::text])))`,
    activity_closed_dated: `CHECK (((status = 'active'::text) = (closed_at IS NULL)))`,
    activity_ending_known: `CHECK ((ending = ANY (ARRAY['closed'::text, 'cancelled'::text])))`,
    activity_ending_dated: 'CHECK (((ending IS NULL) = (ending_at IS NULL)))',
  },
  approval: {
    approval_pkey: 'PRIMARY KEY (id)',
    approval_action_known: `CHECK ((action = ANY (ARRAY['wallet.deposit'::text, 'dead-letter.void'::text])))`,
    approval_status_known: `CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text])))`,
    approval_amount_positive: 'CHECK ((amount_minor > 0))',
    approval_decision_signed: `CHECK (((status = 'pending'::text) = (decided_by IS NULL)))`,
    approval_decision_dated: `CHECK (((status = 'pending'::text) = (decided_at IS NULL)))`,
    approval_decided_in_time: 'CHECK ((decided_at < expires_at))',
    approval_by_another: 'CHECK ((decided_by <> asked_by))',
  },
  archive: {
    archive_pkey: 'PRIMARY KEY (first_activity_id)',
    archive_range_ordered: 'CHECK ((beyond_activity_id > first_activity_id))',
    archive_digest_sha256: 'CHECK ((length(digest) = 32))',
    archive_detached_before_dropped: 'CHECK (((dropped_at IS NULL) OR (detached_at IS NOT NULL)))',
  },
  archive_balance: { archive_balance_pkey: 'PRIMARY KEY (first_activity_id, account_id)' },
  audit_archive: {
    audit_archive_pkey: 'PRIMARY KEY (month)',
    audit_archive_digest_sha256: 'CHECK ((length(digest) = 32))',
  },
  audit_log: { audit_log_pkey: 'PRIMARY KEY (id)' },
  claim: {
    claim_pkey: 'PRIMARY KEY (id, activity_id)',
    claim_packet_once: 'UNIQUE (activity_id, packet_no)',
    claim_user_once: 'UNIQUE (activity_id, user_id)',
    claim_amount_positive: 'CHECK ((amount_minor > 0))',
  },
  dead_letter: {
    dead_letter_pkey: 'PRIMARY KEY (id)',
    dead_letter_claim_once: 'UNIQUE (claim_id)',
    dead_letter_status_known: `CHECK ((status = ANY (ARRAY['open'::text, 'replayed'::text, 'resolved'::text, 'void'::text])))`,
    dead_letter_resolution_written: `CHECK (((status = ANY (ARRAY['resolved'::text, 'void'::text])) = (resolution IS NOT NULL)))`,
  },
  deposit_reference: {
    deposit_reference_pkey: 'PRIMARY KEY (transfer_id)',
    deposit_reference_bounded: 'CHECK (((char_length(reference) >= 1) AND (char_length(reference) <= 140)))',
  },
  idempotency_key: {
    idempotency_key_pkey: 'PRIMARY KEY (id)',
    idempotency_key_principal_key_unique: 'UNIQUE (principal, key)',
    idempotency_key_fingerprint_sha256: 'CHECK ((length(fingerprint) = 32))',
  },
  packet: {
    packet_pkey: 'PRIMARY KEY (activity_id, no)',
    packet_amount_positive: 'CHECK ((amount_minor > 0))',
  },
  carried: { carried_pkey: 'PRIMARY KEY (account_id)' },
  seal: {
    seal_pkey: 'PRIMARY KEY (activity_id)',
    seal_adds_up: 'CHECK ((funded_minor = (credited_minor + returned_minor)))',
    seal_digest_sha256: 'CHECK ((length(digest) = 32))',
  },
  setting: { setting_pkey: 'PRIMARY KEY (name)' },
  solo_deed: {
    solo_deed_pkey: 'PRIMARY KEY (id)',
    solo_deed_amount_positive: 'CHECK ((amount_minor > 0))',
  },
  top_up: {
    top_up_pkey: 'PRIMARY KEY (id)',
    top_up_packets_once: 'UNIQUE (activity_id, first_no)',
    top_up_replaces_once: 'UNIQUE (replaces_claim_id)',
    top_up_replaces_one: 'CHECK (((replaces_claim_id IS NULL) OR (packet_count = 1)))',
    top_up_amount_positive: 'CHECK ((amount_minor > 0))',
    top_up_packet_count_positive: 'CHECK ((packet_count > 0))',
    top_up_parts_positive: 'CHECK ((parts > 0))',
    top_up_behind_the_first: 'CHECK ((first_no > 1))',
  },
  transfer: {
    transfer_once: 'UNIQUE NULLS NOT DISTINCT (kind, source_id, activity_id)',
    transfer_kind_known: `CHECK ((kind = ANY (ARRAY['deposit'::text, 'fund'::text, 'top-up'::text, 'credit'::text, 'void'::text, 'refund'::text])))`,
    transfer_amount_positive: 'CHECK ((amount_minor > 0))',
    transfer_accounts_differ: 'CHECK ((debit_account_id <> credit_account_id))',
    transfer_activity_named: `CHECK (((kind = 'deposit'::text) = (activity_id IS NULL)))`,
    transfer_chain_of_credits: `CHECK (((kind = 'credit'::text) OR (previous_credit_in IS NULL)))`,
  },
  unsettled_claim: {
    unsettled_claim_pkey: 'PRIMARY KEY (claim_id)',
    unsettled_claim_amount_positive: 'CHECK ((amount_minor > 0))',
  },
};

/** What the rules above mean to allow: a rule about a column that is null holds nothing back. */
export const NULLABLE: readonly string[] = [
  'activity.closed_at',
  'activity.ending',
  'activity.ending_at',
  'approval.decided_at',
  'approval.decided_by',
  'archive.detached_at',
  'archive.dropped_at',
  'audit_archive.removed_at',
  'dead_letter.resolution',
  'top_up.replaces_claim_id',
  'transfer.activity_id',
  'transfer.previous_credit_in',
];

const appendOnly = (table: string): string =>
  `CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`;

export const TRIGGERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  approval: {
    decision_is_final: `CREATE TRIGGER decision_is_final BEFORE UPDATE ON public.approval FOR EACH ROW WHEN ((old.status <> 'pending'::text)) EXECUTE FUNCTION refuse_change()`,
    kept: 'CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON public.approval FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()',
  },
  audit_log: { append_only: appendOnly('audit_log') },
  deposit_reference: { append_only: appendOnly('deposit_reference') },
  dead_letter: {
    void_is_final: `CREATE TRIGGER void_is_final BEFORE UPDATE ON public.dead_letter FOR EACH ROW WHEN ((old.status = 'void'::text)) EXECUTE FUNCTION refuse_change()`,
  },
  seal: { append_only: appendOnly('seal') },
  solo_deed: { append_only: appendOnly('solo_deed') },
  top_up: { append_only: appendOnly('top_up') },
  transfer: { append_only: appendOnly('transfer') },
};

/** The body of the function that these triggers call. Every other function is made from a file and compared with it. */
const REFUSE_CHANGE = `
      begin
        raise exception 'rows of % are never changed or deleted', tg_table_name using errcode = 'insufficient_privilege';
      end `;

/** A role or a database may have settings of its own, under which a commit is no promise or triggers do not fire. */
const UNSAFE_SETTINGS = '^(session_replication_role=(replica|local)|synchronous_commit=(off|false|no|0))$';

const REMARK = 'Constraints, triggers and grants are to be verified by the newer release, which has run';

/**
 * I14: what the promise rests on is there. Everything else that is verified shows what has happened; this shows that what
 * keeps it from happening has not been taken away: constraints, triggers, functions, the bounds of the application's role,
 * and a server that keeps what it has committed.
 */
@Injectable()
export class Foundation {
  constructor(
    private readonly config: AppConfig,
    @Inject(SCHEMA) private readonly schema: Schema,
  ) {}

  /** A newer release may have changed rules and rights that this program cannot know. It still serves this program. */
  async inspect(db: Queries): Promise<Inspection> {
    const { newer } = await schemaDifference(db, this.schema);
    const known = newer.length > 0 ? [] : await this.rulesOf(db);
    const inspections = [
      ...known,
      await functionsOf(db, this.schema),
      await settingsOf(db),
      await this.durabilityOf(db),
    ];
    return {
      examined: inspections.reduce((sum, { examined }) => sum + examined, 0),
      faults: inspections.flatMap(({ faults }) => faults),
      remark: newer.length > 0 ? `${REMARK} ${newer.join(', ')}.` : undefined,
    };
  }

  private async rulesOf(db: Queries): Promise<Inspection[]> {
    return [await constraintsOf(db), await triggersOf(db), await excessGrants(db, this.schema.grants)];
  }

  /** Skipped where booting skips it: throw-away servers of tests may forget. */
  private async durabilityOf(db: Queries): Promise<Inspection> {
    if (this.config.NODE_ENV === 'test') return { examined: 0, faults: [] };
    return { examined: 3, faults: await durabilityFaults(db) };
  }
}

async function constraintsOf(db: Queries): Promise<Inspection> {
  const rows = await db.query<
    { table: string; name: string; definition: string; is_enforced: boolean; nullable: string[] }[]
  >(
    `select relname as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition,
            coalesce(indisvalid and indisready and indislive, true) as is_enforced,
            array(select relname || '.' || attname from pg_attribute
                   where attrelid = conrelid and attnum = any(conkey) and not attnotnull) as nullable
       from pg_constraint
       join pg_class on pg_class.oid = conrelid
       left join pg_index on contype in ('p', 'u') and indexrelid = conindid
      where connamespace = current_schema()::regnamespace and relname = any($1)`,
    [Object.keys(CONSTRAINTS)],
  );
  const found = new Map(rows.map((row) => [`${row.table}.${row.name}`, row]));
  const faults: string[] = [];
  for (const [table, name, definition] of listed(CONSTRAINTS)) {
    const constraint = found.get(`${table}.${name}`);
    const what = `Constraint ${name} of ${table}`;
    if (constraint === undefined) faults.push(`${what} is missing.`);
    else if (constraint.definition !== definition)
      faults.push(`${what} is ${constraint.definition}, not ${definition}.`);
    else if (!constraint.is_enforced) faults.push(`${what} is not enforced: its index is not valid.`);
    for (const column of constraint?.nullable ?? [])
      if (!NULLABLE.includes(column)) faults.push(`${what} is no rule for ${column}, which may be null.`);
  }
  return { examined: listed(CONSTRAINTS).length, faults };
}

/**
 * A trigger guards the table that a statement names, so each partition of the ledger has its own. Functions like
 * `pg_partition_tree` would also see partitions that came after the snapshot, whose triggers are not in it.
 */
async function triggersWanted(db: Queries): Promise<typeof TRIGGERS> {
  const ledger = await db.query<{ table: string }[]>(
    `with recursive ledger as (
       select oid, relname from pg_class where oid = to_regclass('transfer')
       union all
       select part.oid, part.relname
         from ledger
         join pg_inherits on inhparent = ledger.oid
         join pg_class as part on part.oid = inhrelid
     )
     select relname as table from ledger`,
  );
  const own = ledger.map(({ table }) => [table, { append_only: appendOnly(table) }] as const);
  return { ...TRIGGERS, ...Object.fromEntries(own) };
}

async function triggersOf(db: Queries): Promise<Inspection> {
  const wanted = listed(await triggersWanted(db));
  const rows = await db.query<{ table: string; name: string; definition: string; is_enabled: boolean }[]>(
    `select relname as table, tgname as name, pg_get_triggerdef(pg_trigger.oid) as definition,
            tgenabled in ('O', 'A') as is_enabled
       from pg_trigger join pg_class on pg_class.oid = tgrelid
      where not tgisinternal and relnamespace = current_schema()::regnamespace`,
  );
  const found = new Map(rows.map((row) => [`${row.table}.${row.name}`, row]));
  const faults: string[] = [];
  for (const [table, name, definition] of wanted) {
    const trigger = found.get(`${table}.${name}`);
    const what = `Trigger ${name} of ${table}`;
    if (trigger === undefined) faults.push(`${what} is missing.`);
    else if (trigger.definition !== definition)
      faults.push(`${what} is ${trigger.definition}, not ${definition}.`);
    else if (!trigger.is_enabled) faults.push(`${what} is disabled.`);
  }
  return { examined: wanted.length, faults };
}

async function functionsOf(db: Queries, { functions }: Schema): Promise<Inspection> {
  const [trigger] = await db.query<{ body: string }[]>(
    `select prosrc as body from pg_proc where oid = to_regprocedure('refuse_change()')`,
  );
  const faults = (await functionFaults(db, functions)).map(({ message }) => message);
  if (trigger === undefined) faults.push('Function refuse_change() is missing.');
  else if (trigger.body !== REFUSE_CHANGE)
    faults.push('Function refuse_change() is not as migrations made it.');
  return { examined: functions.length + 1, faults };
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

const listed = (
  list: Readonly<Record<string, Readonly<Record<string, string>>>>,
): [table: string, name: string, definition: string][] =>
  Object.entries(list).flatMap(([table, rules]) =>
    Object.entries(rules).map(([name, definition]): [string, string, string] => [table, name, definition]),
  );
