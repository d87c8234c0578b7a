export { Erasing } from './erasing';
