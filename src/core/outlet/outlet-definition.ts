import type { OpenAPIObject } from '@nestjs/swagger';
import type { ProblemFactory } from '../../../libs/problem';
import { addProblems, ApiPlace, FieldPlace, operationsOf, placeOf } from '../../platform/http';

const OUTLET_PLACE = 'outlet';

const fields = {
  /** How the credits of a new activity leave wallets. They stay there if it is left out. */
  terms: new FieldPlace(),
  /** The terms of an existing activity, or null. */
  shownTerms: new FieldPlace(),
  /** The terms of an activity that is to be repeated. */
  repeatedTerms: new FieldPlace(),
  /** In how many days the credits of an activity may leave wallets, including those that a top-up adds. */
  days: new FieldPlace(),
  /** When the credits of a preview would arrive. */
  estimate: new FieldPlace(),
};

type FieldName = keyof typeof fields;

/** The outlet in requests and answers. */
export interface OutletDefinition {
  readonly fields: Readonly<Record<FieldName, PropertyDecorator>>;
  /** The problems that refuse its terms. */
  readonly problems: readonly ProblemFactory[];
}

let problems: readonly ProblemFactory[] = [];

/** Gives activities their outlet, in programs that load its code. */
export function defineOutlet(definition: OutletDefinition): void {
  for (const name of Object.keys(fields) as FieldName[]) fields[name].declare(definition.fields[name]);
  problems = definition.problems;
}

/** A field that the outlet declares. */
export const OutletField = (name: FieldName): PropertyDecorator => fields[name].here();

/** A route that may be refused because of the outlet. */
export const ApiOutlet = (): MethodDecorator => ApiPlace(OUTLET_PLACE, {});

export const outletProblems = (): readonly ProblemFactory[] => problems;

/** Describes the outlet at the operations that ask it. */
export function describeOutlet(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document))
    if (placeOf(operation, OUTLET_PLACE)) addProblems(operation, problems);
}
