import { Injectable } from '@nestjs/common';

/**
 * The current faults of the services that this process depends on. They alarm people; they do not
 * take the process out of service.
 */
@Injectable()
export class Faults {
  private readonly reported = new Map<string, string>();

  /** Faults by the name of the part that reported them. */
  get standing(): ReadonlyMap<string, string> {
    return this.reported;
  }

  /**
   * Sets or clears the fault of a part of the program, in words that are fit for strangers. Returns
   * whether it has changed since that part's last report.
   */
  report(part: string, fault: string | undefined): boolean {
    const hasChanged = this.reported.get(part) !== fault;
    if (fault === undefined) this.reported.delete(part);
    else this.reported.set(part, fault);
    return hasChanged;
  }
}
