import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { invalidRequest } from './http.error';
import { documentingParam } from './openapi/documenting-param';

const ID_PATTERN = /^[1-9]\d{0,18}$/;
const ID_MAX = String(2n ** 63n - 1n);
const ID_RULE = 'must be a decimal id';
const USER_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
const USER_ID_RULE = 'must be 1 to 64 letters, digits, "_" or "-"';

/** A row id at the edge: a decimal string from 1 to 2^63 − 1. */
export function isId(value: unknown): value is string {
  return (
    typeof value === 'string' && ID_PATTERN.test(value) && (value.length < ID_MAX.length || value <= ID_MAX)
  );
}

/** A user (or any owner of an account): what a token may carry as its subject. */
export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && USER_ID_PATTERN.test(value);
}

/** A path parameter that is a row id; anything else answers 400 and names the parameter. */
export function IdParam(name = 'id'): ParameterDecorator {
  return pathParam(name, isId, ID_RULE, { pattern: ID_PATTERN.source, example: '1' });
}

/** A path parameter that is a user id; anything else answers 400 and names the parameter. */
export function UserIdParam(name: string): ParameterDecorator {
  const schema = { pattern: USER_ID_PATTERN.source, example: 'u1' };
  return pathParam(name, isUserId, USER_ID_RULE, schema);
}

function pathParam(
  name: string,
  valid: (value: unknown) => value is string,
  message: string,
  { pattern, example }: { pattern: string; example: string },
): ParameterDecorator {
  const pipe: PipeTransform<unknown, string> = {
    transform(value) {
      if (valid(value)) return value;
      throw invalidRequest('The path is not valid.', { fields: [{ field: name, message }] });
    },
  };
  return documentingParam(
    Param(name, pipe),
    ApiParam({ name, schema: { type: 'string', pattern, example } }),
  );
}
