export {
  EVEN_MAX,
  type Pace,
  paceOf,
  paceTerms,
  type PaceTerms,
  releasedBy,
  type Wave,
  WAVES_MAX,
} from './pace';
