import { Injectable } from '@nestjs/common';

/** Whether this process wants more work. Once it is leaving, there is no way back. */
@Injectable()
export class Readiness {
  private leaving = false;

  get isLeaving(): boolean {
    return this.leaving;
  }

  leave(): void {
    this.leaving = true;
  }
}
