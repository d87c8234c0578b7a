import type { OpenAPIObject } from '@nestjs/swagger';
import type { ProblemFactory } from '../../../libs/problem';
import { addProblems, ApiPlace, FieldPlace, operationsOf, placeOf } from '../../platform/http';

const BACKING_PLACE = 'backing';

const fields = {
  /** The field by which a new activity asks for a currency instead of naming it. */
  asked: new FieldPlace(),
  /** The field by which activities and events show that. */
  shown: new FieldPlace(),
};

type FieldName = keyof typeof fields;

let problems: readonly ProblemFactory[] = [];

/** Gives activities a field that stands for a currency, in programs that load its code. */
export function defineBackingFields(decorators: Readonly<Record<FieldName, PropertyDecorator[]>>): void {
  for (const name of Object.keys(fields) as FieldName[]) fields[name].declare(...decorators[name]);
}

/** A field that a backing declares. */
export const BackingField = (name: FieldName): PropertyDecorator => fields[name].here();

/** Names the problems of a backing that refuse packets, in programs that load its code. */
export function defineBacking(added: readonly ProblemFactory[]): void {
  problems = [...problems, ...added];
}

/** A route that may be refused because of what units stand for. */
export const ApiBacking = (): MethodDecorator => ApiPlace(BACKING_PLACE, {});

export const backingProblems = (): readonly ProblemFactory[] => problems;

/** Describes the backing at the operations that ask it. */
export function describeBacking(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document))
    if (placeOf(operation, BACKING_PLACE)) addProblems(operation, problems);
}
