import type { OpenAPIObject } from '@nestjs/swagger';
import type { ProblemFactory } from '../../../../libs/problem';
import type { SponsorWord } from '../../../../libs/split';
import { addProblems, ApiPlace, FieldPlace, operationsOf, placeOf } from '../../../platform/http';

const SEED_PLACE = 'seed';

const fields: Readonly<Record<keyof SponsorWord, FieldPlace>> = {
  commitment: new FieldPlace(),
  sponsorSeed: new FieldPlace(),
};

let problems: readonly ProblemFactory[] = [];

export interface SeedDefinition {
  readonly fields: Readonly<Record<keyof SponsorWord, PropertyDecorator>>;
  /** The problems that refuse a commitment. */
  readonly problems: readonly ProblemFactory[];
}

/** Lets creations bring a word of their sponsor, in programs that load its code. */
export function defineSeeds(definition: SeedDefinition): void {
  for (const name of Object.keys(fields) as (keyof SponsorWord)[])
    fields[name].declare(definition.fields[name]);
  problems = definition.problems;
}

/** A field that the keeper of seeds declares. */
export const SeedField = (name: keyof SponsorWord): PropertyDecorator => fields[name].here();

/** A route that may be refused because of a commitment. */
export const ApiSeeds = (): MethodDecorator => ApiPlace(SEED_PLACE, {});

/** Describes the problems of commitments at the operations that ask for a seed. */
export function describeSeeds(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document))
    if (placeOf(operation, SEED_PLACE)) addProblems(operation, problems);
}
