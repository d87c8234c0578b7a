/** The version of this release, as in package.json. */
export { version } from '../../../package.json';
