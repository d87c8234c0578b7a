import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { type Fault, must } from '../../../../libs/problem';
import { isPersonId, isUserId, PERSON_ID_PATTERN, USER_ID_PATTERN } from '../../../../libs/user-id';
import { invalidRequest } from '../problems/http.error';
import { documentingParam } from './documenting-param';
import { isDay } from './is-day';

const ID_PATTERN = /^[1-9]\d{0,18}$/;
const ID_MAX = String(2n ** 63n - 1n);

/** For examples of bodies that would move money if they named something real. */
export const ID_OF_NOTHING = ID_MAX;

export const idSchema = { type: 'string', pattern: ID_PATTERN.source };

export const userIdSchema = { pattern: USER_ID_PATTERN };

export const personIdSchema = { pattern: PERSON_ID_PATTERN };

/** A row id at the edge is a decimal string from 1 to 2^63 − 1. */
export function isId(value: unknown): value is string {
  return (
    typeof value === 'string' && ID_PATTERN.test(value) && (value.length < ID_MAX.length || value <= ID_MAX)
  );
}

/** Anything else answers 400 and names the parameter. */
export function IdParam(name = 'id'): ParameterDecorator {
  return pathParam(name, isId, must.beA('id'), { pattern: ID_PATTERN.source });
}

const ENCODED = 'Percent-encoded: it may have any visible ASCII character.';

/** Anything else answers 400 and names the parameter; the id is percent-encoded. */
export function UserIdParam(name: string): ParameterDecorator {
  return pathParam(name, isUserId, must.beA('user-id'), { ...userIdSchema, description: ENCODED });
}

/** A pseudonym too, for what is only read. */
export function PersonIdParam(name: string): ParameterDecorator {
  return pathParam(name, isPersonId, must.beA('user-id'), { ...personIdSchema, description: ENCODED });
}

/** A day of the calendar; anything else answers 400 and names the parameter. */
export function DayParam(name: string, description: string): ParameterDecorator {
  return pathParam(name, isDay, must.beA('day'), { pattern: '^2\\d{3}-\\d\\d-\\d\\d$', description });
}

/** Documented without an example, with which Swagger UI would fill in the id of something real. */
function pathParam(
  name: string,
  valid: (value: unknown) => value is string,
  fault: Fault,
  { description, ...schema }: { pattern: string; description?: string },
): ParameterDecorator {
  const pipe: PipeTransform<unknown, string> = {
    transform(value) {
      if (valid(value)) return value;
      throw invalidRequest('The path is not valid.', { fields: [{ field: name, ...fault }] });
    },
  };
  return documentingParam(
    Param(name, pipe),
    ApiParam({ name, description, schema: { type: 'string', ...schema } }),
  );
}
