import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { AdmissionRow } from '../../core/activity';
import { type AdmissionRule, AdmissionRules, type Admitted, type TapOptions } from '../../core/grab';
import { InjectUrgentPool, type Queries } from '../../platform/postgres';
import { HIDDEN_KINDS } from './audience-terms.dto';
import { AudienceRepository, type ReadAudience } from './audience.repository';
import { digestIn } from './password';

const ACTIVITIES_MAX = 10_000;

/** Users who are named in remembered audiences: about 40 MB. */
const NAMED_MAX = 500_000;

const ADMITTED = { hold: false };

interface Audience {
  readonly version: string;
  readonly shareCode: string | null;
  readonly userIds?: ReadonlySet<string>;
  readonly passwordDigest: string | null;
  /** The last header with the right password. A crowd sends the same one, and digesting it costs more than the rest. */
  provedBy?: string;
}

/**
 * Lets users tap at an activity that is not public if it names them, or they have its share code or password.
 * Audiences that have changed are read again every second; while Postgres is down, the last known ones count.
 */
@Injectable()
export class AudienceRule implements AdmissionRule {
  readonly kinds = HIDDEN_KINDS;
  private readonly audiences = new LRUCache<string, Audience>({
    max: ACTIVITIES_MAX,
    maxSize: NAMED_MAX,
    sizeCalculation: ({ userIds }) => userIds?.size ?? 1,
  });

  constructor(
    private readonly rows: AudienceRepository,
    @InjectUrgentPool() private readonly db: Queries,
    rules: AdmissionRules,
  ) {
    rules.addRule(this);
  }

  admit(
    { id, sponsorId }: AdmissionRow,
    userId: string,
    keys: TapOptions,
  ): Pick<Admitted, 'hold'> | undefined {
    const audience = this.audiences.get(id);
    const isInsider = userId === sponsorId || (audience !== undefined && isFor(audience, userId, keys));
    return isInsider ? ADMITTED : undefined;
  }

  isPreparedFor({ id }: AdmissionRow): boolean {
    return this.audiences.has(id);
  }

  /** Also asks about ids that do not exist, so that response times do not reveal which do. */
  async prepare(_activities: readonly AdmissionRow[], askedIds: readonly string[]): Promise<void> {
    this.remember(await this.rows.ofActivities(askedIds, this.db));
  }

  async refresh(newest: readonly AdmissionRow[]): Promise<void> {
    const known = [...this.audiences].map(([activityId, { version }]) => ({ activityId, version }));
    if (known.length > 0) this.remember(await this.rows.changedAmong(known));
    const unknown = newest.filter(({ id }) => !this.audiences.has(id));
    if (unknown.length > 0) this.remember(await this.rows.ofActivities(unknown.map(({ id }) => id)));
  }

  mayAdmitAnyone(): Promise<boolean> {
    return Promise.resolve(true);
  }

  private remember(rows: readonly ReadAudience[]): void {
    for (const { activityId, version, shareCode, userIds, passwordDigest } of rows)
      this.audiences.set(activityId, {
        version,
        shareCode,
        passwordDigest,
        ...(userIds && { userIds: new Set(userIds) }),
      });
  }
}

function isFor(audience: Audience, userId: string, keys: TapOptions): boolean {
  const { shareCode, userIds, passwordDigest, provedBy } = audience;
  if (userIds) return userIds.has(userId);
  if (shareCode !== null) return keys['share-code'] === shareCode;
  const password = keys['packet-password'];
  if (provedBy !== undefined && password === provedBy) return true;
  if (digestIn(password) !== passwordDigest) return false;
  audience.provedBy = password as string;
  return true;
}
