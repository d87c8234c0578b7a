export {
  EVEN_MAX,
  type Pace,
  paceOf,
  paceTerms,
  type PaceTerms,
  PLANS_MAX,
  releasedBy,
  type Wave,
  WAVES_MAX,
} from './pace';
export { type WaveFault, waveFaultAt } from './wave-faults';
