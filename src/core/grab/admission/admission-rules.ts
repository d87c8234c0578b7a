import { Injectable } from '@nestjs/common';
import type { AdmissionRow } from '../../activity';
import type { TapOptions } from './tap-options';

/** The terms on which a tap is admitted, passed on unchanged to every later step. */
export interface Admitted {
  /** A win is to be held. */
  readonly hold: boolean;
  /** The activity may limit the wins of a user. */
  readonly mayLimit: boolean;
}

/** A win is paid at once, and no limit can refuse it. */
export const UNRESTRICTED: Admitted = { hold: false, mayLimit: false };

/**
 * Decides who may tap in activities with certain kinds of admission or audience.
 *
 * @example
 * class InvitationRule implements AdmissionRule {
 *   readonly kinds = ['invitation'];
 *   constructor(rules: AdmissionRules) {
 *     rules.addRule(this);
 *   }
 *   admit({ id }: AdmissionRow, userId: string, { invitation }: TapOptions) {
 *     if (!this.isFor(id, userId, invitation)) throw notInvited('Ask the sponsor for an invitation.');
 *     return { hold: false };
 *   }
 *   …
 * }
 */
export interface AdmissionRule {
  /** The `admission` or `audience` of its activities. */
  readonly kinds: readonly string[];

  /**
   * Judges a tap without waiting, once the rule was prepared for the activity.
   * @returns undefined for a user who may not know of the activity
   * @throws the problems of its kind
   */
  admit(activity: AdmissionRow, userId: string, options: TapOptions): Pick<Admitted, 'hold'> | undefined;

  /** False if the rule must be prepared, for the first time or again, before it can judge. */
  isPreparedFor(activity: AdmissionRow): boolean;

  /**
   * Reads what is needed to judge taps at these activities.
   * @param askedIds those that were asked for, whether they exist or not
   */
  prepare(activities: readonly AdmissionRow[], askedIds: readonly string[]): Promise<void>;

  /** Called every second: prepares for the newest activities, and renews what was read for others. */
  refresh(newest: readonly AdmissionRow[]): Promise<void>;

  /** False if nobody could be admitted, which the pre-flight of an activity reports. */
  mayAdmitAnyone(activity: Pick<AdmissionRow, 'sponsorId'>): Promise<boolean>;
}

/** Extensions add rules for the kinds of admission and audience that they bring. */
@Injectable()
export class AdmissionRules {
  private readonly rules = new Map<string, AdmissionRule>();

  addRule(rule: AdmissionRule): void {
    for (const kind of rule.kinds) {
      if (this.rules.has(kind)) throw new Error(`Admission ${kind} has two rules.`);
      this.rules.set(kind, rule);
    }
  }

  /** Undefined for a kind that no extension of this program has brought. */
  findRule(kind: string): AdmissionRule | undefined {
    return this.rules.get(kind);
  }

  allRules(): Iterable<AdmissionRule> {
    return new Set(this.rules.values());
  }
}
