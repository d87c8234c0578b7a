export { Sightings } from './sightings';
