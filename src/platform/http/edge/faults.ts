import { Injectable } from '@nestjs/common';

/**
 * Current faults of the services that this process depends on. They alarm people; they do not take
 * the process out of service.
 */
@Injectable()
export class Faults {
  private readonly reported = new Map<string, string>();

  /** The part that reported a fault is its key. */
  get standing(): ReadonlyMap<string, string> {
    return this.reported;
  }

  /** Uses words that are fit for the public. Returns whether anything has changed for that part. */
  report(part: string, fault: string | undefined): boolean {
    const hasChanged = this.reported.get(part) !== fault;
    if (fault === undefined) this.reported.delete(part);
    else this.reported.set(part, fault);
    return hasChanged;
  }
}
