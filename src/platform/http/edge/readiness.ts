import { Injectable } from '@nestjs/common';

/** Tells whether this process wants more work. After `leave` it never does again. */
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
