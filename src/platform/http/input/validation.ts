import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { type FieldFault, must } from '../../../../libs/problem';
import { invalidRequest, unknownField } from '../problems/http.error';
import { judgedByCurrency } from './is-currency';
import { faultsIn } from './judged';

const FAULTS_MAX = 20;

/** The name of a body that is not an object, for which class-validator does not name a field. */
const BODY = 'body';

/** Lets nothing unknown pass; each fault names its field by full path. */
export function createValidationPipe(): ValidationPipe {
  return new StrictPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    /** The check of a field may look at the others. */
    validationError: { target: true },
    exceptionFactory: toProblem,
  });
}

/**
 * class-transformer silently drops fields that every object inherits (`valueOf`), so whitelisting
 * never sees them, and breaks at a null in a list. This pipe looks for both in the raw input.
 */
class StrictPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body') refuseOtherThanObject(value);
    if (metadata.type === 'body' || metadata.type === 'query') {
      refuseInherited(value);
      refuseNullItems(value);
    }
    return judgedByCurrency(
      value,
      metadata.metatype,
      () => super.transform(value, metadata) as Promise<unknown>,
    );
  }
}

/** If there is no body, each required field is named. */
function refuseOtherThanObject(value: unknown): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'object' && !Array.isArray(value)) return;
  const found = typeof value === 'string' ? 'text: it may be encoded twice' : `a ${nameOfType(value)}`;
  const fault = must.beA('object', `must be a JSON object, and is ${found}`);
  throw invalidRequest('The request is not valid.', { fields: [{ field: BODY, ...fault }] });
}

const nameOfType = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);

function refuseInherited(value: unknown): void {
  const paths = inheritedFields(value, '').slice(0, FAULTS_MAX);
  if (paths.length > 0) throw toUnknownField(paths.map((field) => ({ field, ...must.beKnown() })));
}

function inheritedFields(value: unknown, parent: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const field = pathOf(parent, name);
    return name in Object.prototype ? [field] : inheritedFields(part, field);
  });
}

function refuseNullItems(value: unknown): void {
  const fields = nullItems(value, '').slice(0, FAULTS_MAX);
  if (fields.length === 0) return;
  throw invalidRequest('The request is not valid.', {
    fields: fields.map((field) => ({ field, ...must.beThere('must not be null') })),
  });
}

function nullItems(value: unknown, parent: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const field = pathOf(parent, name);
    return part === null && Array.isArray(value) ? [field] : nullItems(part, field);
  });
}

function toProblem(errors: ValidationError[]): Error {
  const faults = errors.flatMap((error) => fieldFaults(error, ''));
  const fields = faults.slice(0, FAULTS_MAX);
  return faults.every(({ rule }) => rule === 'unknown')
    ? toUnknownField(fields)
    : invalidRequest('The request is not valid.', { fields });
}

function toUnknownField(fields: FieldFault[]): Error {
  return unknownField('The request has fields that are not known here.', { fields });
}

function fieldFaults(error: ValidationError, parent: string): FieldFault[] {
  const field = pathOf(parent, error.property ?? BODY);
  const own = faultsIn(error).map((fault) => ({ field, ...fault }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldFaults(child, field))];
}

function pathOf(parent: string, property: string): string {
  if (parent === '') return property;
  return /^\d+$/.test(property) ? `${parent}[${property}]` : `${parent}.${property}`;
}
