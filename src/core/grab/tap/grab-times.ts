import type { Metrics } from '../../../platform/telemetry';
import { OUTCOMES } from './grab-outcome';

/** Every tap is observed once, so the same figures give the number of taps. */
export function grabTimes(metrics: Metrics) {
  const times = metrics.timings({
    name: 'hongbao_grab_duration_seconds',
    help: 'How long a grab took, by its outcome; grabs that ended with a problem are left out',
    label: 'outcome',
    values: OUTCOMES,
  });
  metrics.counter({
    name: 'hongbao_grabs_total',
    help: 'Grabs by their outcome; grabs that ended with a problem are left out',
    labelNames: ['outcome'],
    collect() {
      this.reset();
      for (const outcome of OUTCOMES) this.inc({ outcome }, times[outcome].count);
    },
  });
  return times;
}
