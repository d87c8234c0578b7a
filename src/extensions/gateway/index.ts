export { asyncApi } from './async-api';
