import type { QueryRunner } from 'typeorm';

/** The database role of API and worker, where there is one; the owner of the tables only migrates. */
export const APP_ROLE = 'hongbao_app';

const GRANTED: Record<string, string> = {
  migrations: 'select',
  setting: 'select, insert',
  activity: 'select, insert, update (status, closed_at, total_minor, packet_count)',
  packet: 'select, insert',
  top_up: 'select, insert',
  claim: 'select, insert',
  unsettled_claim: 'select, insert, delete, update (attempts, last_error)',
  account: 'select, insert, update (balance_minor, status)',
  transfer: 'select, insert',
  dead_letter: 'select, insert, update (status, reason, last_error, resolution, attempts, updated_at)',
  webhook: 'select, insert, delete, update (deleted_at, secret)',
  undelivered_message:
    'select, insert, delete, update (status, attempts, last_error, offered_at, updated_at)',
  idempotency_key: 'select, insert',
  audit_log: 'select, insert',
};

const NUMBERED = ['activity_id_seq', 'idempotency_key_id_seq'];

/**
 * What the two programs need and no more: no change of the schema; no word of the ledger, of the audit log, of packets
 * or of claims is ever changed or deleted, and of everything else only what moves.
 */
const GRANTS = [
  'revoke create on schema public from public',
  `grant usage on schema public to ${APP_ROLE}`,
  ...Object.entries(GRANTED).flatMap(([table, privileges]) => [
    `revoke all on ${table} from ${APP_ROLE}`,
    `grant ${privileges} on ${table} to ${APP_ROLE}`,
  ]),
  ...NUMBERED.map((sequence) => `grant usage on sequence ${sequence} to ${APP_ROLE}`),
];

/** Run after every migration, because each may bring tables. Does nothing where nobody has created the role. */
export async function grantToApp(runner: QueryRunner): Promise<void> {
  const roles = (await runner.query('select from pg_roles where rolname = $1', [APP_ROLE])) as unknown[];
  if (roles.length === 0) return;
  await runner.query(GRANTS.join(';\n'));
}
