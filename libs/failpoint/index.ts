export { failpoint, FAILPOINTS, trapsFrom, type Failpoint } from './failpoint';
