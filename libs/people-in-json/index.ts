export { type Pseudonyms, renamedInJson, renamedSubject, subjectsOf } from './people-in-json';
