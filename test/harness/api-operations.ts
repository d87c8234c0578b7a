import type { Role } from '../../libs/roles';

/** The parts of a JSON schema that this API uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema: Schema;
}

interface Content {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: object }>>;
}

type Contents = Readonly<Record<string, Content>>;

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>;
  readonly security: readonly object[];
  readonly 'x-roles'?: readonly Role[];
  readonly 'x-counts-as'?: number;
}

export interface Operation extends Described {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
}

interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Reads the API document of a server, with its operations as a list. */
export async function readApi(url: string) {
  const { tags, paths, components } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => ({
      method: method.toUpperCase(),
      path,
      ...described,
    })),
  );
  return { tags, operations, schemas: components.schemas };
}

/** Whether an operation takes a token, and may be called without it. */
export const hasOptionalToken = ({ security }: Operation): boolean =>
  security.some((scheme) => Object.keys(scheme).length === 0);
