import type { OpenAPIObject } from '@nestjs/swagger';
import { type EventKind, eventKinds, eventNames } from '../../core/news';

/** Placeholders in decorators for what is known once a document is made: by then all events are defined. */
export const ANY_EVENT = '{event}';
export const ANY_DATA = '{data}';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Names all events, and the classes of their data, in a document. */
export function describeEvents({ paths, components }: OpenAPIObject): void {
  const operation = paths['/v1/me/events']!.get!;
  const names = eventNames().map((name) => `\`${name}\``);
  operation.description = operation
    .description!.replace(ANY_EVENT, names.join(', '))
    .replace(ANY_DATA, dataInWords());
  nameEvents(components!.schemas!);
}

interface Enumeration {
  enum?: string[];
}

function nameEvents(schemas: Schemas): void {
  for (const schema of Object.values(schemas))
    for (const field of Object.values('properties' in schema ? schema.properties! : {})) {
      const { items } = field as { items?: Enumeration };
      const values = items ?? (field as Enumeration);
      values.enum &&= values.enum.flatMap((value) => (value === ANY_EVENT ? eventNames() : value));
    }
}

/** The first kind is that of the events whose names have no common noun. */
function dataInWords(): string {
  const [first, ...others] = eventKinds();
  const words = others.map((kind, i) => {
    const subject = i === 0 ? 'the event' : 'it';
    return `${withArticle(kind)} when ${subject} ${eventsOf(kind)}`;
  });
  return `${[withArticle(first!), ...words.slice(0, -1)].join(', ')}, or ${words.at(-1)}`;
}

const withArticle = ({ data: { name } }: EventKind): string =>
  `${/^[AEIOU]/.test(name) ? 'an' : 'a'} \`${name}\``;

function eventsOf({ examples }: EventKind): string {
  const [name, ...others] = Object.keys(examples);
  return others.length === 0 ? `is \`${name}\`` : `begins with \`${name!.split('.')[0]}.\``;
}
