/** What the dialects of the graph share: its schema in their words, and documents planned once against it. */
import { MapperKind, mapSchema } from '@graphql-tools/utils'
import {
  type DocumentNode,
  defaultFieldResolver,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  validate,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import type { RequestContext } from '../../operation/context.ts'
import { lazy } from '../../platform/lazy.ts'
import { graphqlOperation } from '../../platform/signals.ts'
import { type CostOfVariables, costFunction } from '../operation-cost.ts'
import { carriesSecrets } from '../secret-fields.ts'
import { ProjectedDocument } from './projected/projected-document.ts'

const dialects = new WeakMap<GraphQLSchema, GraphQLSchema>()

/**
 * The same schema with enum values named by their internal value, as in the spec: `DATASET` becomes `dataset`.
 * Resolvers are shared, and the dialects share it.
 */
export function restDialect(schema: GraphQLSchema): GraphQLSchema {
  const before = dialects.get(schema)
  if (before) return before
  const dialect = mapSchema(schema, {
    [MapperKind.ENUM_TYPE]: (type) => {
      if (type.name.startsWith('__')) return type
      const config = type.toConfig()
      const values = Object.entries(config.values).map(([name, value]) => [String(value.value ?? name), value] as const)
      return new GraphQLEnumType({ ...config, values: Object.fromEntries(values) })
    },
  })
  dialects.set(schema, dialect)
  return dialect
}

/** Scalars that rows have as JSON has them, once they come from SQL: nothing is left to serialize. */
const readyScalars: ReadonlySet<string> = new Set(['DateTime', 'SafeInt', 'JSON'])

const compiledSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>()

/**
 * The dialect as documents are compiled against it: members of rows that SQL made are texts to the compiler, so that it
 * writes them as they are. It would call a serializer for each, with a new place and new locations for an error that
 * none has: most of what a list of runs allocated. Rows of Prisma have dates and big integers, which it converts.
 */
function compiledSchema(dialect: GraphQLSchema): GraphQLSchema {
  const before = compiledSchemas.get(dialect)
  if (before) return before
  const schema = mapSchema(dialect, {
    [MapperKind.OBJECT_FIELD]: (field, _name, typeName) =>
      isReady(dialect.getType(typeName), field) ? { ...field, type: asText(field.type) } : field,
    [MapperKind.QUERY_ROOT_FIELD]: (field) => ({ ...field, resolve: resolverOf(field) }),
  })
  compiledSchemas.set(dialect, schema)
  return schema
}

/** What the one root field of a document has read before its answer turned out to need an executor. */
class AlreadyRead {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

function resolverOf({ resolve = defaultFieldResolver }: { readonly resolve?: Resolve | undefined }): Resolve {
  return (source, args, ctx, info) => (source instanceof AlreadyRead ? source.value : resolve(source, args, ctx, info))
}

type Resolve = GraphQLFieldResolver<unknown, unknown>

function isReady(
  parent: GraphQLNamedType | undefined,
  { resolve, type }: Pick<GraphQLField<unknown, unknown>, 'type'> & { readonly resolve?: unknown },
): boolean {
  const isRow = !resolve && parent?.extensions.pothosPrismaModel === undefined
  return isRow && readyScalars.has(getNamedType(type).name)
}

function asText(type: GraphQLOutputType): GraphQLOutputType {
  if (isListType(type)) return new GraphQLList(asText(type.ofType))
  if (!isNonNullType(type)) return GraphQLString
  const inner = asText(type.ofType)
  return new GraphQLNonNull(isListType(inner) ? inner : GraphQLString)
}

/**
 * A document of one root field. What is a function is computed when it is first used: for all documents together it
 * would be half of what a hub does to start.
 */
export interface PlannedDocument {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** Its answers hold URLs or tokens that let in who has them. */
  readonly carriesSecrets: () => boolean
  /** Validated and compiled. Throws, as `fail`, for a document that does not fit the schema. */
  readonly compiled: () => CompiledQuery
  /** What an answer costs if its pages are full. */
  readonly costOf: CostOfVariables
  /** The response key of the document's one root field. */
  readonly rootKey: string
  readonly rootField: GraphQLField<unknown, unknown>
  /** What a credential needs for it. */
  readonly scope: string
  /** Of a query. */
  readonly projected: ProjectedDocument | null
}

/**
 * Plans a document of the tree; `fail` throws, and names the document. That each fits the schema, tests say for all:
 * no start validates them.
 */
export function planDocument(
  document: DocumentNode,
  dialect: GraphQLSchema,
  fail: (why: string) => never,
): PlannedDocument {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return fail('has no operation')
  const root = operation.selectionSet.selections[0]
  if (operation.selectionSet.selections.length !== 1 || root?.kind !== Kind.FIELD)
    return fail('needs exactly one root field')
  const rootField = dialect.getRootType(operation.operation)?.getFields()[root.name.value]
  if (!rootField) return fail('has an unknown root field')
  const compiled = lazy(() => {
    const faults = validate(dialect, document)
    if (faults.length > 0) fail(faults.map((fault) => fault.message).join('; '))
    // Leaf values are already JSON, and an enum's internal value is its name here: serializing leaves would change
    // nothing.
    const query = compileQuery(compiledSchema(dialect), document, undefined, { disableLeafSerialization: true })
    return isCompiledQuery(query)
      ? query
      : fail(query.errors?.map(({ message }) => message).join('; ') ?? 'does not compile')
  })
  const costs = lazy(() => costFunction(dialect, document, operation))
  return {
    document,
    operation,
    compiled,
    carriesSecrets: lazy(() => carriesSecrets(dialect, document)),
    costOf: (variables) => costs()(variables),
    rootKey: root.alias?.value ?? root.name.value,
    rootField,
    projected:
      operation.operation === OperationTypeNode.QUERY
        ? new ProjectedDocument({ document, operation, root, rootField, schema: dialect, isReady })
        : null,
    scope: typeof rootField.extensions.scope === 'string' ? rootField.extensions.scope : 'key:read',
  }
}

interface Asked {
  /** What metrics and spans say. */
  readonly name: string
  readonly ctx: RequestContext
  readonly variables: Readonly<Record<string, unknown>>
}

/** The value of the root field; throws the first error as the verb threw it. */
export function runDocument(
  planned: Pick<PlannedDocument, 'compiled' | 'projected' | 'rootKey'>,
  asked: Asked,
): Promise<unknown> {
  if (!graphqlOperation.isWatched) return answerOf(planned, asked)
  return graphqlOperation.follow({ name: asked.name }, () => answerOf(planned, asked))
}

async function answerOf(
  { compiled, projected, rootKey }: Pick<PlannedDocument, 'compiled' | 'projected' | 'rootKey'>,
  { ctx, variables }: Asked,
): Promise<unknown> {
  const projection = projected?.projection(variables)
  const read = projection && projected?.rootRead()?.(variables, ctx)
  let root: AlreadyRead | undefined
  if (read) {
    root = new AlreadyRead(await read.value)
    const value = projected?.project(projection, root.value)
    if (value !== undefined) return value
  }
  const { data, errors } = await compiled().query(root, ctx, variables)
  const error = errors?.[0]
  if (error) throw error.originalError ?? error
  return data?.[rootKey]
}
