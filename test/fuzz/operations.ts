/** The parts of a JSON schema that this API uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

export interface Operation {
  readonly method: string;
  /** The path with `{name}` for each parameter. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Schema;
}

interface Document {
  readonly paths: Record<string, Record<string, RawOperation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface RawOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}

/** The operations of an OpenAPI document. */
export class Api {
  readonly operations: readonly Operation[];

  constructor(private readonly document: Document) {
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody?.content['application/json']?.schema,
      })),
    );
  }

  static async read(url: string): Promise<Api> {
    return new Api((await (await fetch(`${url}/openapi.json`)).json()) as Document);
  }

  /** Returns a schema after following its reference. */
  resolve(schema: Schema): Schema {
    const [part] = schema.allOf ?? [];
    const { $ref } = part ?? schema;
    return $ref === undefined ? schema : this.document.components.schemas[$ref.split('/').at(-1)!]!;
  }
}
