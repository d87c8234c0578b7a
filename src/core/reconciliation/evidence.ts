/**
 * Rows that extensions keep and proofs need. Statements read them under these names as if they were tables,
 * which have no rows without the extension.
 */
const NO_ROWS = {
  /** All deeds for which someone has asked a second person, whatever the answer was. */
  requested_deed: `
    select null::text as action, null::text as subject_id, null::bigint as source_id, null::text as status,
           null::jsonb as terms, null::text as asked_by, null::text as decided_by, null::timestamptz as decided_at`,
  /** Ranges of activities whose rows have left the database: `first_id` <= id < `beyond_id`. */
  archived_range: `select null::bigint as first_id, null::bigint as beyond_id`,
  /** The net effect of credits that have left the database on accounts. */
  archived_credit: `select null::bigint as account_id, null::bigint as net_minor`,
};

type EvidenceName = keyof typeof NO_ROWS;

/** The statements that select these rows: constants, with the columns that {@link NO_ROWS} names. */
export type Evidence = Partial<Record<EvidenceName, string>>;

/** Makes a statement complete: the evidence that it reads becomes part of it. */
export function withEvidence(sql: string, evidence: Evidence): string {
  const parts = (Object.keys(NO_ROWS) as EvidenceName[])
    .filter((name) => new RegExp(`\\b${name}\\b`).test(sql))
    .map((name) => `${name} as not materialized (${evidence[name] ?? `${NO_ROWS[name]} where false`})`);
  return parts.length === 0 ? sql : `with ${parts.join(', ')} select * from (${sql}) as finding`;
}
