import { Injectable } from '@nestjs/common';
import { OUTCOMES } from './grab-outcome';

/** The answer to a tap. `unavailable`: a problem of status 503, so that the user taps again. */
export const TAP_ANSWERS = [...OUTCOMES, 'unavailable'] as const;

export type TapAnswer = (typeof TAP_ANSWERS)[number];

/**
 * Hears of every answered tap. Every tap waits for it, so it only counts:
 *
 *     @Injectable()
 *     class TapTotal implements TapListener {
 *       total = 0;
 *       constructor(listeners: TapListeners) {
 *         listeners.addListener(this);
 *       }
 *       noteTap = () => void (this.total += 1);
 *     }
 */
export interface TapListener {
  /** @param activityId there may be no such activity if the answer is `unavailable` */
  noteTap(activityId: string, answer: TapAnswer, tookMs: number): void;
}

@Injectable()
export class TapListeners {
  private readonly listeners: TapListener[] = [];

  addListener(listener: TapListener): void {
    this.listeners.push(listener);
  }

  noteTap(activityId: string, answer: TapAnswer, tookMs: number): void {
    for (const listener of this.listeners) listener.noteTap(activityId, answer, tookMs);
  }
}
