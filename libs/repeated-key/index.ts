export { repeatedKey } from './repeated-key';
