export { DeadlineExceeded, stopwatch, within } from './deadline';
