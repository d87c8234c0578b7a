export { RepeatingTask } from './repeating-task';
