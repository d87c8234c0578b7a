import { ApiPlace } from '../../platform/http';

export const SECOND_PERSON_PLACE = 'second-person';

/** The parts of a route's description for the extension that requests deeds. */
export interface SecondPersonPlace {
  /** The beginning of a sentence about the deed, unless it always has to wait. */
  readonly deed?: string;
  /** Describes the answer to a request: what has not happened yet. */
  readonly pending?: string;
}

/** Lets the API document say that a request may have to wait for a second person. */
export const ApiSecondPerson = (place: SecondPersonPlace): MethodDecorator =>
  ApiPlace(SECOND_PERSON_PLACE, place);
