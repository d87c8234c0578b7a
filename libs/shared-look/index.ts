export { sharedLook } from './shared-look';
