import type { Queries } from '../../src/platform/postgres';

/** Inserts an erasure that someone has requested and `by` has approved; with a pseudonym, one that is done. */
export const insertErasure = (
  db: Queries,
  { by, userId = null, pseudonym = null }: { by: string; userId?: string | null; pseudonym?: string | null },
): Promise<unknown> =>
  db.query(
    `with approved as (
       insert into approval (action, subject_id, source_id, amount_minor, terms, asked_by, expires_at, status, decided_by,
                             decided_at)
       values ('user.erase', coalesce($2, $3), (random() * 1e15)::bigint, 0, '{}', 'asker', now() + interval '1 hour',
               'approved', $1, now())
     )
     insert into erasure (requested_by, user_id, pseudonym, digest, digest_key, done_at)
     select $1, $2, $3, case when $3 is not null then sha256('') end, case when $3 is not null then '' end,
            case when $3 is not null then now() end`,
    [by, userId, pseudonym],
  );
