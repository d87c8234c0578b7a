export { ApiSecondPerson, SECOND_PERSON_PLACE, type SecondPersonPlace } from './api-second-person';
export type { DeedDescription, DeedWish, GuardedDeed, PerformedDeed } from './guarded-deed';
export {
  isPending,
  type PendingDeed,
  SecondPerson,
  type SecondPersonRules,
  type SoloSum,
} from './second-person';
export { SecondPersonModule } from './second-person.module';
