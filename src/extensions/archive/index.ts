export { runArchive } from './archiving';
