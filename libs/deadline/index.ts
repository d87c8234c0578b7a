export { DeadlineExceeded, within } from './deadline';
