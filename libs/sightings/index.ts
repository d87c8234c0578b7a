export { SeenAges } from './seen-ages';
export { Sightings } from './sightings';
