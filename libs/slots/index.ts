export { Slots } from './slots';
