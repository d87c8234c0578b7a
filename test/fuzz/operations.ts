import { type Operation as Described, type Parameter, readApi, type Schema } from '../harness/api-operations';

export type { Parameter, Schema };

export interface Operation {
  readonly method: string;
  /** The path with `{name}` for each parameter. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Schema;
}

/** The operations of an OpenAPI document. */
export class Api {
  private constructor(
    readonly operations: readonly Operation[],
    private readonly schemas: Readonly<Record<string, Schema>>,
  ) {}

  static async read(url: string): Promise<Api> {
    const { operations, schemas } = await readApi(url);
    return new Api(operations.map(toOperation), schemas);
  }

  /** Returns a schema after following its reference. */
  resolve(schema: Schema): Schema {
    const [part] = schema.allOf ?? [];
    const { $ref } = part ?? schema;
    return $ref === undefined ? schema : this.schemas[$ref.split('/').at(-1)!]!;
  }
}

const toOperation = ({ method, path, parameters = [], requestBody }: Described): Operation => ({
  method,
  path,
  parameters,
  body: requestBody?.content['application/json']?.schema,
});
