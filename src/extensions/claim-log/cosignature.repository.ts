import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** The line of a witness that is kept for a checkpoint. */
export interface KeptLine {
  readonly size: number;
  readonly line: string;
  /** The time of the signature, in seconds since 1970. */
  readonly at: number;
}

/** The parts of the log that are needed to judge cosignatures. */
export interface Signable {
  /** Checkpoints that may still be signed, by their sizes. */
  readonly notes: ReadonlyMap<number, string>;
  /** The last line of each witness that has signed, by its key. */
  readonly last: ReadonlyMap<string, KeptLine>;
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
/** There is one a second, but more while the log catches up. */
const SIGNABLE_MAX = 2_000;

/** How much later a signature of the same checkpoint must be to be kept. It shows that the witness still sees the log. */
export const RENEWED_AFTER_SECONDS = 1_800;

/** At one of each witness every half minute these are eight hours. */
const LOOKED_AT_MAX = 1_000;

const DUE = `signed_at < to_timestamp(floor((extract(epoch from now()) - ${COMMITTED_WITHIN_SECONDS}) / ${DUE_EVERY_SECONDS}) * ${DUE_EVERY_SECONDS})`;

/** SQL of cosignatures, whose rows are only added. Nothing else waits for it. */
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

  /** A checkpoint may be signed until the one after it is older than the time allowed for signing. */
  async signable(verifierKeys: readonly string[]): Promise<Signable> {
    const [[now], notes, last] = await Promise.all([
      this.dataSource.query<[{ seconds: number }]>(`select extract(epoch from now())::float8 as seconds`),
      this.dataSource.query<{ size: string; note: string }[]>(
        `select tree_size as size, note from claim_checkpoint
          where tree_size >= coalesce((select tree_size from claim_checkpoint
                                        where signed_at < now() - make_interval(secs => ${SIGNED_WITHIN_SECONDS})
                                        order by tree_size desc limit 1), 0)
          order by tree_size desc limit ${SIGNABLE_MAX}`,
      ),
      this.dataSource.query<{ key: string; size: string; line: string; at: string }[]>(
        `select key, last.* from unnest($1::text[]) as witness (key)
          cross join lateral (select tree_size as size, line, cosigned_at as at from claim_cosignature
                               where verifier_key = key order by tree_size desc, cosigned_at desc limit 1) as last`,
        [verifierKeys],
      ),
    ]);
    return {
      notes: new Map(notes.map(({ size, note }) => [Number(size), note])),
      last: new Map(
        last.map(({ key, size, line, at }) => [key, { size: Number(size), line, at: Number(at) }]),
      ),
      nowSeconds: now.seconds,
    };
  }

  /**
   * Keeps this line, unless the witness has signed this checkpoint shortly before, or later. Returns the last line
   * that is kept.
   */
  async keep(verifierKey: string, { size, line, at }: KeptLine): Promise<KeptLine> {
    await this.dataSource.query(
      `insert into claim_cosignature (verifier_key, tree_size, line)
       select $1, $2, $3
        where not exists (select from claim_cosignature
                           where verifier_key = $1 and tree_size = $2 and cosigned_at > $4::bigint - ${RENEWED_AFTER_SECONDS})
       on conflict do nothing`,
      [verifierKey, size, line, at],
    );
    const [kept] = await this.dataSource.query<[{ line: string; at: string }]>(
      `select line, cosigned_at as at from claim_cosignature
        where verifier_key = $1 and tree_size = $2 order by cosigned_at desc limit 1`,
      [verifierKey, size],
    );
    return { size, line: kept.line, at: Number(kept.at) };
  }

  /** The last one of each, in the order of the keys. */
  async linesOf(size: number, verifierKeys: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ line: string }[]>(
      `select line
         from unnest($2::text[]) with ordinality as witness (key, place)
        cross join lateral (select line from claim_cosignature where verifier_key = key and tree_size = $1
                             order by cosigned_at desc limit 1) as last
        order by place`,
      [size, verifierKeys],
    );
    return rows.map(({ line }) => line);
  }

  /**
   * The newest checkpoint that at least `quorum` of these witnesses have signed. It cannot be larger than the
   * `quorum`-th largest of their last sizes; below that, the search continues in the same way. So it skips whatever
   * a few have signed alone, however much that is.
   */
  async newestBy(
    verifierKeys: readonly string[],
    quorum: number,
  ): Promise<{ size: number; note: string } | undefined> {
    const [row] = await this.dataSource.query<{ size: string; note: string }[]>(
      `with recursive looked as (
         select 0 as no, $3::bigint as size, 0::bigint as signers
         union all
         select no + 1, next.size,
                (select count(*) from unnest($1::text[]) as witness (key)
                  where exists (select from claim_cosignature where verifier_key = key and tree_size = next.size))
           from looked
          cross join lateral (
            select last.tree_size as size
              from unnest($1::text[]) as witness (key)
             cross join lateral (select tree_size from claim_cosignature
                                  where verifier_key = key and tree_size < looked.size
                                  order by tree_size desc limit 1) as last
             order by last.tree_size desc offset $2::bigint - 1 limit 1) as next
          where signers < $2 and no < ${LOOKED_AT_MAX}
       )
       select tree_size as size, note from looked join claim_checkpoint on tree_size = size where signers >= $2`,
      [verifierKeys, quorum, Number.MAX_SAFE_INTEGER],
    );
    return row && { ...row, size: Number(row.size) };
  }

  /** For each of these, the age of the oldest checkpoint after the last that it has signed; 0 if there is none. */
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
