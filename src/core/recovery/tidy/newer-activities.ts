import type { Logger } from '@nestjs/common';
import type { DispenserStatus } from '../../../../libs/redis-scripts';

/**
 * Activities that a newer version of this program has loaded into Redis. Only that version may end
 * them there or make Redis forget them: this one does not know all of their keys.
 */
export class NewerActivities {
  private isTold = false;

  constructor(private readonly logger: Logger) {}

  /** Logs only the first one: every later sweep finds the same activities. */
  mayTouch({ id, status }: { readonly id: string; readonly status: DispenserStatus }): boolean {
    if (status !== 'newer') return true;
    if (!this.isTold)
      this.logger.warn(
        `Activity ${id}, and perhaps others, were loaded by a newer version and are left to it.`,
      );
    this.isTold = true;
    return false;
  }
}
