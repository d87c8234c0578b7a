import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Queries } from '../../platform/postgres';
import type { HiddenKind } from './audience-terms.dto';

export interface AudienceRow {
  readonly activityId: string;
  readonly kind: HiddenKind;
  readonly shareCode: string | null;
  readonly userIds: readonly string[] | null;
  readonly password: string | null;
  readonly passwordDigest: string | null;
}

/** `version` differs after any change of the row. */
export interface ReadAudience extends AudienceRow {
  readonly version: string;
}

const AUDIENCE = `
  select activity_id as "activityId", kind, share_code as "shareCode", user_ids as "userIds", password,
         password_digest as "passwordDigest", activity_audience.xmin::text as version
    from activity_audience`;

@Injectable()
export class AudienceRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insert(tx: EntityManager, row: AudienceRow): Promise<void> {
    await tx.query(
      `insert into activity_audience (activity_id, kind, share_code, user_ids, password, password_digest)
       values ($1, $2, $3, $4, $5, $6)`,
      [row.activityId, row.kind, row.shareCode, row.userIds, row.password, row.passwordDigest],
    );
  }

  /** Leaves out activities that are public or do not exist. */
  ofActivities(ids: readonly string[], db: Queries = this.dataSource): Promise<ReadAudience[]> {
    return db.query<ReadAudience[]>(`${AUDIENCE} where activity_id = any($1::bigint[])`, [ids]);
  }

  /** Returns those that have changed: a share code was rotated, or a named person was forgotten. */
  changedAmong(read: readonly Pick<ReadAudience, 'activityId' | 'version'>[]): Promise<ReadAudience[]> {
    return this.dataSource.query<ReadAudience[]>(
      `${AUDIENCE} join unnest($1::bigint[], $2::text[]) as read (id, version)
                     on read.id = activity_id and read.version <> activity_audience.xmin::text`,
      [read.map(({ activityId }) => activityId), read.map(({ version }) => version)],
    );
  }

  /** False if the activity has no share code. */
  async rotate(tx: EntityManager, activityId: string, shareCode: string): Promise<boolean> {
    const [, changed] = await tx.query<[unknown, number]>(
      `update activity_audience set share_code = $2, rotated_at = now() where activity_id = $1 and kind = 'link'`,
      [activityId, shareCode],
    );
    return changed === 1;
  }
}

/** A condition on `activity`: it names the user, or the proofs have its code or the digest of its password. */
export const isInsider = (userId: string, proofs: string): string => `exists (
  select from activity_audience as own
   where own.activity_id = activity.id
     and (${userId} = any(own.user_ids) or own.share_code = ${proofs}->>'shareCode'
          or own.password_digest = ${proofs}->>'passwordDigest'))`;
