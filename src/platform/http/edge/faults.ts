import { Injectable } from '@nestjs/common';

/** What is wrong at the moment with what this process depends on. It alarms people; it does not take the process out of service. */
@Injectable()
export class Faults {
  private readonly reported = new Map<string, string>();

  /** By the name of the part that reported it. */
  get standing(): ReadonlyMap<string, string> {
    return this.reported;
  }

  /**
   * A part of the program says what is wrong with it, in words that are fit for strangers, or that all is well again.
   * Returns whether that has changed since its last report.
   */
  report(part: string, fault: string | undefined): boolean {
    const hasChanged = this.reported.get(part) !== fault;
    if (fault === undefined) this.reported.delete(part);
    else this.reported.set(part, fault);
    return hasChanged;
  }
}
