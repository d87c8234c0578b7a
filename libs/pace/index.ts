export { EVEN_MAX, type Pace, paceOf, paceTerms, type PaceTerms, type Wave, WAVES_MAX } from './pace';
