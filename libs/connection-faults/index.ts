export { connectionFault, type Endpoint, endpointOf, reasonOf } from './connection-faults';
