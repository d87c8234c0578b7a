import type { DataSource } from 'typeorm';
import type { Queries } from '../../platform/postgres';
import type { FileRevision } from '../extension';

/** In the order in which they were made, within each file. */
export const fileRevisions = (dataSource: DataSource): Promise<FileRevision[]> =>
  dataSource.query(
    `select file, encode(digest_before, 'hex') as before, encode(digest_after, 'hex') as after
       from archive_revision order by file, no`,
  );

export async function adoptRevisions(
  dataSource: DataSource,
  revisions: readonly FileRevision[],
): Promise<void> {
  for (const { file, before, after } of revisions)
    await dataSource.transaction(async (tx) => {
      const rows = await tx.query<unknown[]>(
        `select from (select file, digest from archive union all select file, digest from audit_archive) as recorded
          where file = $1 and digest = decode($2, 'hex')`,
        [file, before],
      );
      if (rows.length > 0)
        await recordRevision(tx, file, Buffer.from(before, 'hex'), Buffer.from(after, 'hex'));
    });
}

/** From now on the file must have the digest `after`. */
export async function recordRevision(
  tx: Queries,
  file: string,
  before: Buffer,
  after: Buffer,
): Promise<void> {
  await tx.query(
    `insert into archive_revision (file, no, digest_before, digest_after)
     select $1, 1 + count(*), $2, $3 from archive_revision where file = $1`,
    [file, before, after],
  );
  await tx.query(`update archive set digest = $2 where file = $1`, [file, after]);
  await tx.query(`update audit_archive set digest = $2 where file = $1`, [file, after]);
}
