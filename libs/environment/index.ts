export { readEnvironment } from './environment';
