export { failpoint, FailpointHit, FAILPOINTS, trapsFrom, type Failpoint } from './failpoint';
