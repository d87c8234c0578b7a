export { connectionFault, type Endpoint, endpointOf, reasonOf, speaksTls } from './connection-faults';
