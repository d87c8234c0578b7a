import { Injectable } from '@nestjs/common';

/** After `leave` this process never wants more work. */
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
