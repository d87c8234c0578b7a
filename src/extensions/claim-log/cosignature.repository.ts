import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** A checkpoint, as a witness hands in a cosignature of it. */
export interface Handed {
  readonly note: string;
  /** Of the last checkpoint that this witness has signed. */
  readonly lastSize: number | null;
  /** There has been a later checkpoint for as long as cosignatures are waited for. */
  readonly isOld: boolean;
  /** Since 1970, by the clock of Postgres. */
  readonly nowSeconds: number;
}

/**
 * All witnesses sign the last checkpoint before a full half minute. If each signed the newest one that it sees, no
 * two would sign the same one while users win.
 */
const DUE_EVERY_SECONDS = 30;
/** A checkpoint has the time of the beginning of its transaction; it is committed by then. */
const COMMITTED_WITHIN_SECONDS = 5;
const SIGNED_WITHIN_SECONDS = 600;

/** Of each witness. At one every half minute these are eight hours. */
const LOOKED_AT_MAX = 1_000;

const DUE = `signed_at < to_timestamp(floor((extract(epoch from now()) - ${COMMITTED_WITHIN_SECONDS}) / ${DUE_EVERY_SECONDS}) * ${DUE_EVERY_SECONDS})`;

/** SQL of what witnesses have signed. Rows of it are only added. Nothing else waits for it. */
@Injectable()
export class CosignatureRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The note that witnesses sign now. */
  async due(): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ note: string }[]>(
      `select note from claim_checkpoint where ${DUE} order by tree_size desc limit 1`,
    );
    return row?.note;
  }

  async handed(size: number, verifierKey: string): Promise<Handed | undefined> {
    const [row] = await this.dataSource.query<(Omit<Handed, 'lastSize'> & { lastSize: string | null })[]>(
      `select note, extract(epoch from now())::float8 as "nowSeconds",
              (select max(tree_size) from claim_cosignature where verifier_key = $2) as "lastSize",
              coalesce((select later.signed_at < now() - make_interval(secs => ${SIGNED_WITHIN_SECONDS})
                          from claim_checkpoint as later
                         where later.tree_size > own.tree_size order by later.tree_size limit 1), false) as "isOld"
         from claim_checkpoint as own where tree_size = $1`,
      [size, verifierKey],
    );
    return row && { ...row, lastSize: row.lastSize === null ? null : Number(row.lastSize) };
  }

  /** Keeps this line, unless the witness has signed this checkpoint before. Returns the line that is kept. */
  async keep(size: number, verifierKey: string, line: string): Promise<string> {
    await this.dataSource.query(
      `insert into claim_cosignature (verifier_key, tree_size, line) values ($1, $2, $3) on conflict do nothing`,
      [verifierKey, size, line],
    );
    const [kept] = await this.linesOf(size, [verifierKey]);
    return kept!;
  }

  /** In the order of the keys. */
  async linesOf(size: number, verifierKeys: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ line: string }[]>(
      `select line
         from unnest($2::text[]) with ordinality as witness (key, place)
         join claim_cosignature on verifier_key = key and tree_size = $1
        order by place`,
      [size, verifierKeys],
    );
    return rows.map(({ line }) => line);
  }

  /** The newest checkpoint that at least so many of these have signed. */
  async newestBy(
    verifierKeys: readonly string[],
    quorum: number,
  ): Promise<{ size: number; note: string } | undefined> {
    const [row] = await this.dataSource.query<{ size: string; note: string }[]>(
      `select tree_size as size, note
         from claim_checkpoint
        where tree_size = (
          select tree_size
            from unnest($1::text[]) as witness (key)
           cross join lateral (select tree_size from claim_cosignature where verifier_key = key
                                order by tree_size desc limit ${LOOKED_AT_MAX}) as last
           group by tree_size having count(*) >= $2 order by tree_size desc limit 1)`,
      [verifierKeys, quorum],
    );
    return row && { ...row, size: Number(row.size) };
  }

  /** For each of these, the age of the oldest checkpoint after the last one that it has signed; 0 if it lacks none. */
  async behindSeconds(verifierKeys: readonly string[]): Promise<number[]> {
    const rows = await this.dataSource.query<{ seconds: number }[]>(
      `with due as (select tree_size from claim_checkpoint where ${DUE} order by tree_size desc limit 1)
       select case when next.tree_size <= due.tree_size
                   then greatest(0, extract(epoch from now() - next.signed_at))::float8 else 0 end as seconds
         from unnest($1::text[]) with ordinality as witness (key, place)
         left join due on true
         left join lateral (
           select tree_size, signed_at from claim_checkpoint
            where tree_size > coalesce((select max(tree_size) from claim_cosignature where verifier_key = key), 0)
            order by tree_size limit 1) as next on true
        order by place`,
      [verifierKeys],
    );
    return rows.map(({ seconds }) => seconds);
  }
}
