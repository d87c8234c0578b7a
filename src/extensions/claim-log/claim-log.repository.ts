import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import {
  type ClaimLeaf,
  claimLeafHash,
  type KeptNode,
  type Stretch,
  stretchesOf,
} from '../../../libs/claim-log';
import { PUBLIC } from '../../core/activity';
import { invariant } from '../../../libs/invariant';
import { SeenAges } from '../../../libs/sightings';
import { type Queries, writersOf } from '../../platform/postgres';

/** A claim that is not in the log. */
export interface NewClaim {
  readonly id: string;
  readonly activityId: string;
  readonly packetNo: number;
  readonly userId: string;
  /** The moment as Postgres writes it, and in microseconds since 1970. */
  readonly confirmedAt: string;
  readonly micros: string;
}

export interface SignedTree {
  readonly size: number;
  readonly root: Buffer;
  readonly note: string;
  readonly verifierKey: string;
  /** All claims up to this id that will ever be committed are in the tree. */
  readonly claimsTo: bigint;
}

export interface LoggedLeaf extends ClaimLeaf {
  readonly index: number;
}

/** A leaf, and whether everyone may know of its activity. */
export type ListedLeaf = LoggedLeaf & { readonly isPublic: boolean };

/** A leaf with its salt, which is null when the user was forgotten. */
export type SaltedLeaf = LoggedLeaf & { readonly salt: Buffer | null };

type LeafRow = Pick<LoggedLeaf, 'activityId' | 'packetNo' | 'userHash'> & {
  readonly index: string;
  readonly micros: string;
};

const LEAF = `leaf_index as "index", activity_id as "activityId", packet_no as "packetNo", user_hash as "userHash",
              (extract(epoch from confirmed_at) * 1000000)::bigint as micros`;

/** The lock that a process holds while it appends to the log. */
export const LOG_LOCK = `hashtextextended('claim-log', 0)`;

/** SQL of the log, whose rows are only added. */
@Injectable()
export class ClaimLogRepository {
  private readonly ages = new SeenAges<'claims'>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** True in one transaction at a time. */
  async lead(tx: EntityManager): Promise<boolean> {
    const [row] = await tx.query<{ locked: boolean }[]>(
      `select pg_try_advisory_xact_lock(${LOG_LOCK}) as locked`,
    );
    return row!.locked;
  }

  async head(db: Queries = this.dataSource): Promise<SignedTree | undefined> {
    const [row] = await db.query<
      (Omit<SignedTree, 'size' | 'claimsTo'> & { size: string; claimsTo: string })[]
    >(
      `select tree_size as size, root, note, verifier_key as "verifierKey", claims_to as "claimsTo"
         from claim_checkpoint order by tree_size desc limit 1`,
    );
    return row && { ...row, size: Number(row.size), claimsTo: BigInt(row.claimsTo) };
  }

  /** The number of leaves, if none is missing. */
  async leafCount(db: Queries): Promise<number> {
    const [row] = await db.query<{ count: string }[]>(
      `select coalesce(max(leaf_index) + 1, 0) as count from claim_leaf`,
    );
    return Number(row!.count);
  }

  /** Returns the age of the oldest claim that was not read for the log; 0 before the log was begun. */
  async behindSeconds(): Promise<number> {
    const [row] = await this.dataSource.query<{ id: string; seconds: number }[]>(
      `select behind.*
         from (select claims_to from claim_checkpoint order by tree_size desc limit 1) as head
        cross join lateral (
          select id, extract(epoch from clock_timestamp() - confirmed_at)::float8 as seconds
            from claim where id > head.claims_to order by id limit 1) as behind
        where pg_sequence_last_value('claim_id_seq') > head.claims_to`,
    );
    return this.ages.secondsOf('claims', row?.id, row?.seconds ?? 0);
  }

  /** The highest id that a claim has taken, whether it was committed or not. */
  async lastClaimId(tx: EntityManager): Promise<bigint> {
    const [row] = await tx.query<{ id: string }[]>(
      `select coalesce(pg_sequence_last_value('claim_id_seq'), 0) as id`,
    );
    return BigInt(row!.id);
  }

  /** Transactions that may still commit claims, with ids that they took before. */
  async writers(tx: EntityManager): Promise<string[]> {
    const rows = await tx.query<{ virtualtransaction: string }[]>(writersOf('claim'));
    return rows.map(({ virtualtransaction }) => virtualtransaction);
  }

  /** The oldest activity in which users may still win. */
  async firstActive(tx: EntityManager): Promise<string> {
    const [row] = await tx.query<{ id: string }[]>(
      `select coalesce(min(id), 0) as id from activity where status = 'active'`,
    );
    return row!.id;
  }

  /**
   * Returns committed claims of these activities beyond this id that are not in the log, in the order of their ids.
   * `offset 0` keeps the planner from reading the whole log instead of looking each claim up.
   */
  newClaims(tx: EntityManager, beyondId: bigint, firstActivity: string, limit: number): Promise<NewClaim[]> {
    return tx.query(
      `select id, activity_id as "activityId", packet_no as "packetNo", user_id as "userId",
              confirmed_at::text as "confirmedAt", (extract(epoch from confirmed_at) * 1000000)::bigint as micros
         from claim
        where id > $1 and activity_id >= $2
          and not exists (select from claim_leaf
                           where activity_id = claim.activity_id and packet_no = claim.packet_no offset 0)
        order by id limit $3`,
      [beyondId, firstActivity, limit],
    );
  }

  async append(
    tx: EntityManager,
    firstIndex: number,
    claims: readonly NewClaim[],
    userHashes: readonly Buffer[],
    salts: readonly Buffer[],
  ): Promise<void> {
    await tx.query(
      `with leaf as (
         insert into claim_leaf (leaf_index, activity_id, packet_no, user_hash, confirmed_at)
         select $1 + place - 1, activity_id, packet_no, user_hash, confirmed_at
           from unnest($2::bigint[], $3::integer[], $4::bytea[], $5::timestamptz[]) with ordinality
             as logged (activity_id, packet_no, user_hash, confirmed_at, place)
       )
       insert into claim_salt (leaf_index, salt)
       select $1 + place - 1, salt from unnest($6::bytea[]) with ordinality as kept (salt, place)`,
      [
        firstIndex,
        claims.map(({ activityId }) => activityId),
        claims.map(({ packetNo }) => packetNo),
        userHashes,
        claims.map(({ confirmedAt }) => confirmedAt),
        salts,
      ],
    );
  }

  async sign(tx: EntityManager, tree: SignedTree, nodes: readonly KeptNode[]): Promise<void> {
    await tx.query(
      `insert into claim_log_node (level, no, hash) select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])`,
      nodeColumns(nodes),
    );
    await tx.query(
      `insert into claim_checkpoint (tree_size, claims_to, root, note, verifier_key) values ($1, $2, $3, $4, $5)`,
      [tree.size, tree.claimsTo, tree.root, tree.note, tree.verifierKey],
    );
  }

  /** The hashes from which the hash of each range of leaves follows: about a hundred for a whole proof. */
  async hashes(
    ranges: readonly { readonly start: number; readonly end: number }[],
    db: Queries = this.dataSource,
  ): Promise<Buffer[][][]> {
    const wanted = ranges.map(stretchesOf);
    const stretches = wanted.flat();
    const rows = await this.read(stretches, db);
    const found = new Map(stretches.map((stretch, i) => [stretch, rows[i]!]));
    return wanted.map((ofRange) => ofRange.map((stretch) => found.get(stretch)!));
  }

  private async read(stretches: readonly Stretch[], db: Queries): Promise<Buffer[][]> {
    const hashes: Buffer[][] = stretches.map(() => []);
    const bounds = [
      stretches.map(({ level }) => level),
      stretches.map(({ first }) => first),
      stretches.map(({ count }) => count),
    ];
    const wanted = `unnest($1::smallint[], $2::bigint[], $3::integer[]) with ordinality as wanted (level, first, count, place)`;
    const leaves = await db.query<(LeafRow & { place: string })[]>(
      `select place, ${LEAF}
         from ${wanted}
        cross join lateral (select * from claim_leaf where leaf_index >= first and leaf_index < first + count offset 0) as leaf
        where level = 0 order by place, leaf_index`,
      bounds,
    );
    for (const { place, ...row } of leaves) hashes[Number(place) - 1]!.push(claimLeafHash(leafOf(row)));
    const nodes = await db.query<{ place: string; hash: Buffer }[]>(
      `select place, hash
         from ${wanted}
        cross join lateral (select * from claim_log_node as kept
                             where kept.level = wanted.level and no >= first and no < first + count offset 0) as node
        where wanted.level > 0 order by place, no`,
      bounds,
    );
    for (const { place, hash } of nodes) hashes[Number(place) - 1]!.push(hash);
    for (const [i, { level, first, count }] of stretches.entries())
      invariant(hashes[i]!.length === count, () => `The log lacks hashes from ${first} on level ${level}.`);
    return hashes;
  }

  async leaves(fromIndex: number, limit: number, db: Queries = this.dataSource): Promise<ListedLeaf[]> {
    const rows = await db.query<(LeafRow & { isPublic: boolean })[]>(
      `select ${LEAF}, coalesce((select audience = '${PUBLIC}' from activity where id = activity_id), true) as "isPublic"
         from claim_leaf where leaf_index >= $1 order by leaf_index limit $2`,
      [fromIndex, limit],
    );
    return rows.map(({ isPublic, ...row }) => ({ ...leafOf(row), isPublic }));
  }

  /** Returns which of these nodes are kept with another hash, or not at all. */
  async unlikeNodes(tx: EntityManager, nodes: readonly KeptNode[]): Promise<Omit<KeptNode, 'hash'>[]> {
    const rows = await tx.query<{ level: number; no: string }[]>(
      `select wanted.level, wanted.no
         from unnest($1::smallint[], $2::bigint[], $3::bytea[]) as wanted (level, no, hash)
         left join claim_log_node as kept on kept.level = wanted.level and kept.no = wanted.no
        where kept.hash is distinct from wanted.hash order by 1, 2`,
      nodeColumns(nodes),
    );
    return rows.map(({ level, no }) => ({ level, no: Number(no) }));
  }

  async leafOfPacket(activityId: string, packetNo: number): Promise<SaltedLeaf | undefined> {
    const [row] = await this.dataSource.query<(LeafRow & { salt: Buffer | null })[]>(
      `select ${LEAF}, salt
         from claim_leaf left join claim_salt using (leaf_index) where activity_id = $1 and packet_no = $2`,
      [activityId, packetNo],
    );
    return row && { ...leafOf(row), salt: row.salt };
  }
}

const nodeColumns = (nodes: readonly KeptNode[]): unknown[] => [
  nodes.map(({ level }) => level),
  nodes.map(({ no }) => no),
  nodes.map(({ hash }) => hash),
];

const leafOf = ({ index, micros, activityId, packetNo, userHash }: LeafRow): LoggedLeaf => ({
  index: Number(index),
  activityId,
  packetNo,
  userHash,
  confirmedAtMicros: BigInt(micros),
});
