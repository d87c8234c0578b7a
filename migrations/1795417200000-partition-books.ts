import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** The number of activities that share a partition of the existing rows. */
const ACTIVITIES_EACH = 10_000;

/**
 * Books that stay flat (decision 43).
 *
 * - `packet`, `claim` and the credits of `transfer` are partitioned by ranges of activities. All
 *   other transfers are few, and stay in `transfer_other`, which alone has indexes by account. A
 *   unique constraint has to contain what its table is partitioned by, so those of claims and
 *   transfers name the activity as well.
 * - The credits of a wallet are a chain: `account.last_credit_in` is the activity that was last
 *   credited to it, and each credit names the one before in `previous_credit_in`.
 *   `former_credit_in` is what `last_credit_in` was before the settlement that set it: the upsert
 *   that changes the wallet can return no other trace of it.
 *
 * All of these tables are written again, so all programs have to be stopped.
 */
export class PartitionBooks1795417200000 implements Migration {
  readonly serves = PartitionBooks1795417200000.name;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PACKETS);
    await runner.query(CLAIMS);
    await runner.query(TRANSFERS);
    await makePartitions(runner);
    await runner.query(COPY);
    await runner.query(CHAINS);
    await runner.query(UNSETTLED);
    await runner.query(`create index dead_letter_by_user on dead_letter (user_id, claim_id)`);
  }

  down(): Promise<void> {
    return Promise.reject(
      new Error('Restore the backup that was made before: nothing leads back from here.'),
    );
  }
}

const PACKETS = `
  alter table packet rename to former_packet;
  alter table former_packet drop constraint packet_pkey;
  create table packet (
    activity_id  bigint  not null,
    no           integer not null,
    amount_minor bigint  not null,
    constraint packet_pkey primary key (activity_id, no),
    constraint packet_amount_positive check (amount_minor > 0)
  ) partition by range (activity_id)`;

/**
 * Ids continue by a default, not an identity: a partitioned table may have one from Postgres 17 on.
 * The first confirming functions returned rows of the table that is dropped.
 */
const CLAIMS = `
  drop function if exists confirm_all(bigint[], integer[], text[]), confirm_free(bigint[], integer[], text[]);
  alter table claim rename to former_claim;
  alter table former_claim alter column id drop identity;
  alter table former_claim drop constraint claim_pkey;
  alter table former_claim drop constraint claim_packet_once;
  alter table former_claim drop constraint claim_user_once;
  create sequence claim_id_seq;
  select setval('claim_id_seq', max(id)) from former_claim having max(id) > 0;
  create table claim (
    id           bigint      not null default nextval('claim_id_seq'),
    activity_id  bigint      not null,
    packet_no    integer     not null,
    user_id      text        not null,
    amount_minor bigint      not null,
    confirmed_at timestamptz not null default now(),
    constraint claim_pkey primary key (id, activity_id),
    constraint claim_packet_once unique (activity_id, packet_no),
    constraint claim_user_once unique (activity_id, user_id),
    constraint claim_amount_positive check (amount_minor > 0)
  ) partition by range (activity_id);
  alter sequence claim_id_seq owned by claim.id`;

const TRANSFERS = `
  alter table transfer rename to former_transfer;
  alter table former_transfer alter column id drop identity;
  alter table former_transfer drop constraint transfer_pkey;
  alter table former_transfer drop constraint transfer_once;
  drop index transfer_by_credit_account, transfer_by_debit_account;
  create sequence transfer_id_seq;
  select setval('transfer_id_seq', max(id)) from former_transfer having max(id) > 0;
  create table transfer (
    id                 bigint      not null default nextval('transfer_id_seq'),
    kind               text        not null,
    source_id          bigint      not null,
    activity_id        bigint,
    debit_account_id   bigint      not null,
    credit_account_id  bigint      not null,
    amount_minor       bigint      not null,
    created_at         timestamptz not null default now(),
    previous_credit_in bigint,
    constraint transfer_once unique nulls not distinct (kind, source_id, activity_id),
    constraint transfer_kind_known check (kind in ('deposit', 'fund', 'top-up', 'credit', 'void', 'refund')),
    constraint transfer_amount_positive check (amount_minor > 0),
    constraint transfer_accounts_differ check (debit_account_id <> credit_account_id),
    constraint transfer_activity_named check ((kind = 'deposit') = (activity_id is null)),
    constraint transfer_chain_of_credits check (kind = 'credit' or previous_credit_in is null)
  ) partition by list (kind);
  alter sequence transfer_id_seq owned by transfer.id;
  create index transfer_by_id on transfer (id);
  create table transfer_other partition of transfer default;
  create index transfer_by_credit_account on transfer_other (credit_account_id, id);
  create index transfer_by_debit_account on transfer_other (debit_account_id, id);
  create table transfer_credit partition of transfer for values in ('credit') partition by range (activity_id);
  create trigger append_only before update or delete or truncate on transfer
  for each statement execute function refuse_change();
  create trigger append_only before update or delete or truncate on transfer_other
  for each statement execute function refuse_change();
  create trigger append_only before update or delete or truncate on transfer_credit
  for each statement execute function refuse_change()`;

async function makePartitions(runner: QueryRunner): Promise<void> {
  const [row] = (await runner.query(`select coalesce(max(id), 0)::integer as id from activity`)) as [
    { id: number },
  ];
  for (let first = 0; first <= row.id; first += ACTIVITIES_EACH)
    for (const table of ['packet', 'claim', 'transfer_credit']) await runner.query(partition(table, first));
}

const partition = (table: string, first: number): string => `
  create table ${table}_${first} partition of ${table} for values from (${first}) to (${first + ACTIVITIES_EACH});
  ${
    table === 'transfer_credit'
      ? `create trigger append_only before update or delete or truncate on ${table}_${first}
         for each statement execute function refuse_change()`
      : ''
  }`;

const COPY = `
  insert into packet select activity_id, no, amount_minor from former_packet order by activity_id, no;
  insert into claim (id, activity_id, packet_no, user_id, amount_minor, confirmed_at)
  select id, activity_id, packet_no, user_id, amount_minor, confirmed_at from former_claim order by id;
  insert into transfer (id, kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor, created_at,
                        previous_credit_in)
  select id, kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor, created_at,
         case kind when 'credit'
              then lag(activity_id) over (partition by kind = 'credit', credit_account_id order by id) end
    from former_transfer order by id;
  drop table former_packet, former_claim, former_transfer`;

const CHAINS = `
  alter table account add column last_credit_in bigint, add column former_credit_in bigint;
  update account set last_credit_in = last.activity_id
    from (select distinct on (credit_account_id) credit_account_id, activity_id
            from transfer where kind = 'credit' order by credit_account_id, id desc) as last
   where account.id = last.credit_account_id`;

const UNSETTLED = `
  alter table unsettled_claim
    add column activity_id bigint, add column user_id text, add column amount_minor bigint;
  update unsettled_claim
     set activity_id = claim.activity_id, user_id = claim.user_id, amount_minor = claim.amount_minor
    from claim where claim.id = claim_id;
  alter table unsettled_claim
    alter column activity_id set not null, alter column user_id set not null, alter column amount_minor set not null,
    add constraint unsettled_claim_amount_positive check (amount_minor > 0);
  create index unsettled_claim_by_user on unsettled_claim (user_id)`;
