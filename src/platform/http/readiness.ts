import { Injectable } from '@nestjs/common';

/** Whether this process wants more work. Once it is leaving, there is no way back. */
@Injectable()
export class Readiness {
  private leaving = false;
  private readonly standing = new Map<string, string>();

  get isLeaving(): boolean {
    return this.leaving;
  }

  /** What is wrong at the moment, by the name of the part that says so. */
  get faults(): ReadonlyMap<string, string> {
    return this.standing;
  }

  leave(): void {
    this.leaving = true;
  }

  /**
   * A part of the program says what is wrong with it, in words that are fit for strangers, or that all is well again.
   * Returns whether that has changed since its last report.
   */
  report(part: string, fault: string | undefined): boolean {
    const hasChanged = this.standing.get(part) !== fault;
    if (fault === undefined) this.standing.delete(part);
    else this.standing.set(part, fault);
    return hasChanged;
  }
}
