export { readEnvironment, SECRETS } from './environment';
