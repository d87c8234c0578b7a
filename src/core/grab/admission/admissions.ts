import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../../../libs/batching';
import { DeadlineExceeded, within } from '../../../../libs/deadline';
import { AppConfig } from '../../../platform/config';
import { unavailable } from '../../../platform/http';
import { InjectUrgentPool, type Queries } from '../../../platform/postgres';
import { Repeats } from '../../../platform/schedule';
import { type AdmissionRow, ActivityRepository, isNewer, noSuchActivity, refuseNewer } from '../../activity';
import { Currencies } from '../../currency';
import { type AdmissionRule, AdmissionRules, type Admitted, UNRESTRICTED } from './admission-rules';
import type { TapOptions } from './tap-options';

/** The longest time until a process learns that something its rules have read has changed. */
const REFRESH_MS = 1_000;

/** The newest activities that are known before the first tap: crowds come to new ones. */
const NEWEST = 200;
const KNOWN_MAX = 10_000;

const LOOKUPS_PER_QUERY_MAX = 500;
const LOOKUPS_WAITING_MAX = 5_000;

const LIMITED: Admitted = { hold: false, mayLimit: true };

/**
 * Admits users to taps by the rule of the activity, before Redis is asked. Terms never change, so
 * each process asks Postgres once about an activity, and mostly before it is tapped.
 */
@Injectable()
export class Admissions implements OnModuleInit {
  private readonly rows = new LRUCache<string, AdmissionRow>({ max: KNOWN_MAX });
  private readonly lookups = new Batcher<string, AdmissionRow | undefined>({
    run: (ids) => this.lookUp(ids),
    sizeMax: LOOKUPS_PER_QUERY_MAX,
    concurrencyMax: 1,
  });

  constructor(
    private readonly activities: ActivityRepository,
    private readonly rules: AdmissionRules,
    private readonly currencies: Currencies,
    private readonly config: AppConfig,
    @InjectUrgentPool() private readonly db: Queries,
  ) {}

  onModuleInit(): Promise<void> {
    return this.refresh();
  }

  /**
   * Returns a promise only when this process meets the activity for the first time, or its rule is
   * not prepared for it.
   *
   * @throws (or rejects with) activityNotFound, activityNewer, unavailable, and the problems of the rule
   */
  admitUser(activityId: string, userId: string, options: TapOptions): Admitted | Promise<Admitted> {
    const row = this.rows.get(activityId);
    if (row && this.isPreparedFor(row)) return this.admitTo(row, userId, options);
    return this.meet(activityId).then((met) => this.admitTo(met, userId, options));
  }

  /** Nothing has to be read for an activity that is refused. */
  private isPreparedFor(row: AdmissionRow): boolean {
    return isOpen(row) || (this.rules.findRule(row.admission)?.isPreparedFor(row) ?? true);
  }

  /** A kind of admission that no rule knows must not let everybody in. */
  private admitTo(row: AdmissionRow, userId: string, options: TapOptions): Admitted {
    if (isNewer(row)) throw refuseNewer(row.id);
    const { hasLimits: mayLimit } = row;
    if (isOpen(row)) return mayLimit ? LIMITED : UNRESTRICTED;
    const rule = this.rules.findRule(row.admission);
    if (!rule) throw refuseNewer(row.id);
    const { hold } = rule.admit(row, userId, options);
    return { hold, mayLimit };
  }

  @Repeats('Admissions', REFRESH_MS)
  async refresh(): Promise<void> {
    await this.learn(await this.activities.newestAdmissions(NEWEST), (rule, own) => rule.refresh(own));
  }

  private async meet(activityId: string): Promise<AdmissionRow> {
    if (this.lookups.size >= LOOKUPS_WAITING_MAX) throw full();
    const row = await within(this.config.CONFIRM_TIMEOUT_MS, this.lookups.submit(activityId)).catch(
      (cause: unknown) => {
        throw cause instanceof DeadlineExceeded ? full(cause) : cause;
      },
    );
    if (!row) throw noSuchActivity(activityId);
    return row;
  }

  private async lookUp(ids: readonly string[]): Promise<(AdmissionRow | undefined)[]> {
    const rows = await this.activities.admissionsOf(ids, this.db);
    await this.learn(rows, (rule, own) => rule.prepare(own));
    return ids.map((id) => this.rows.get(id));
  }

  /** An activity is known once its rule is prepared for it. */
  private async learn(
    rows: readonly AdmissionRow[],
    prepare: (rule: AdmissionRule, own: readonly AdmissionRow[]) => Promise<void>,
  ): Promise<void> {
    for (const rule of this.rules.allRules()) {
      const own = rows.filter(({ admission }) => admission === rule.kind);
      await prepare(rule, own);
    }
    await this.currencies.remember(rows);
    for (const row of rows) this.rows.set(row.id, row);
  }
}

const isOpen = ({ admission }: AdmissionRow): boolean => admission === 'open';

const full = (cause?: unknown): Error =>
  unavailable('Postgres has not said yet who may tap here; tap again.', { retryAfterSeconds: 1, cause });
