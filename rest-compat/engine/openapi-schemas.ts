/**
 * JSON Schemas (2020-12) of `/v1` requests and responses, from the graph's types, the documents' selections and the
 * fields' zod rules.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLUnionType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  isUnionType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { z } from 'zod'
import { toSnake } from '../../src/platform/member-name.ts'
import { scalarShape } from './scalars.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Shared schemas of one OpenAPI document, filled while operations are written. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}

  /** A `$ref` to the schema of this name, which is created on first use. */
  ref(name: string, make: () => JsonSchema): JsonSchema {
    if (!Object.hasOwn(this.schemas, name)) {
      // Registered before it is built, so that a type can refer to itself.
      this.schemas[name] = {}
      this.schemas[name] = make()
    }
    return { $ref: `#/components/schemas/${name}` }
  }
}

/**
 * The schema of an argument or input field: its type and its zod rule. `omit` lists members that come from elsewhere
 * (the path).
 */
export function inputSchema(
  field: Pick<GraphQLArgument | GraphQLInputField, 'type' | 'extensions' | 'description' | 'defaultValue'>,
  components: Components,
): JsonSchema {
  const described = field.description ? { description: field.description } : {}
  const preset = field.defaultValue === undefined ? {} : { default: field.defaultValue }
  const base = inputTypeSchema(getNullableType(field.type), components)
  const ruled = withRules(base, zodRules(field.extensions.zod))
  return { ...(isNonNullType(field.type) ? ruled : orNull(ruled)), ...preset, ...described }
}

/** A rule of a list may not cover its items: their type's schema stays. */
function withRules(base: JsonSchema, rules: JsonSchema): JsonSchema {
  if (!base.items || !rules.items) return { ...base, ...rules }
  return { ...base, ...rules, items: { ...(base.items as JsonSchema), ...(rules.items as JsonSchema) } }
}

/** An input object's schema without the members of `omit`. */
export function inputObjectSchema(
  type: GraphQLInputType,
  omit: ReadonlySet<string>,
  components: Components,
): JsonSchema {
  const input = getNullableType(type)
  if (!isInputObjectType(input)) return inputTypeSchema(input, components)
  const fields = Object.values(input.getFields()).filter((field) => !omit.has(field.name))
  const required = fields.filter((field) => isRequiredInputField(field)).map((field) => toSnake(field.name))
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [toSnake(field.name), inputSchema(field, components)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function inputTypeSchema(type: GraphQLInputType, components: Components): JsonSchema {
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const items = inputTypeSchema(nullable.ofType, components)
    return { type: 'array', items: isNonNullType(nullable.ofType) ? items : orNull(items) }
  }
  if (isInputObjectType(nullable))
    return components.ref(nullable.name.replace(/Input$/, ''), () => inputObjectSchema(nullable, new Set(), components))
  return leafSchema(nullable, components)
}

function leafSchema(type: GraphQLNamedType, components: Components): JsonSchema {
  if (isScalarType(type)) return scalarShape(type).schema
  if (!isEnumType(type)) return {}
  return components.ref(type.name, () => ({
    type: 'string',
    enum: type.getValues().map((value) => value.name),
    ...(type.description ? { description: type.description } : {}),
  }))
}

/** The keywords of a zod schema. The description covers what JSON Schema cannot express (a refinement). */
function zodRules(rule: unknown): JsonSchema {
  if (!(rule instanceof z.ZodType)) return {}
  const { $schema: _dialect, ...keywords } = z.toJSONSchema(rule, { io: 'input', unrepresentable: 'any' }) as Record<
    string,
    unknown
  >
  return keywords
}

/** The schema of a free-form document, as a component where its rule has a title. */
export function documentSchema(rule: unknown, components: Components): JsonSchema {
  const { title, ...schema } = zodRules(rule)
  return typeof title === 'string' ? components.ref(title, () => schema) : schema
}

/** The same, or null. */
function orNull(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema
  if (typeof schema.type === 'string' && !('enum' in schema)) return { ...schema, type: [schema.type, 'null'] }
  return { anyOf: [schema, { type: 'null' }] }
}

/**
 * The schema of a response: the selected members, under their aliases. Those of `onlyWhenSet` are omitted instead of
 * null.
 */
export class Selections {
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  readonly #components: Components
  readonly #onlyWhenSet: ReadonlySet<string>

  constructor(document: DocumentNode, components: Components, onlyWhenSet: readonly string[] = []) {
    this.#components = components
    this.#onlyWhenSet = new Set(onlyWhenSet)
    for (const node of document.definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node)
  }

  ofType(type: GraphQLOutputType, set: SelectionSetNode | undefined): JsonSchema {
    if (isNonNullType(type)) return this.#present(type.ofType, set)
    return orNull(this.#present(type, set))
  }

  #present(type: GraphQLOutputType, set: SelectionSetNode | undefined): JsonSchema {
    const nullable = getNullableType(type)
    if (isListType(nullable)) return { type: 'array', items: this.ofType(nullable.ofType, set) }
    if (set && isUnionType(nullable)) return this.#ofUnion(nullable, set)
    if (!set || !(isObjectType(nullable) || isInterfaceType(nullable)))
      return leafSchema(nullable as GraphQLNamedType, this.#components)
    const [only] = set.selections
    if (set.selections.length === 1 && only?.kind === Kind.FRAGMENT_SPREAD) {
      const name = only.name.value.replace(/Fields$/, '')
      const fragment = this.#fragments.get(only.name.value)
      return this.#components.ref(name, () => ({
        ...this.object(nullable, fragment?.selectionSet ?? set),
        ...(nullable.description ? { description: nullable.description } : {}),
      }))
    }
    return this.object(nullable, set)
  }

  /** A document spreads only the union type that its route returns. */
  #ofUnion(union: GraphQLUnionType, set: SelectionSetNode): JsonSchema {
    const [only] = set.selections
    const name = only?.kind === Kind.INLINE_FRAGMENT ? only.typeCondition?.name.value : undefined
    const type = union.getTypes().find((member) => member.name === name)
    if (!type || only?.kind !== Kind.INLINE_FRAGMENT || set.selections.length > 1)
      throw new Error(`A document spreads one type of ${union.name}.`)
    return this.#present(type, only.selectionSet)
  }

  object(type: GraphQLOutputType, set: SelectionSetNode): JsonSchema {
    const properties: Record<string, JsonSchema> = {}
    const required: string[] = []
    this.#collect(type, set, properties, required)
    return { type: 'object', properties, required }
  }

  #collect(
    parent: GraphQLOutputType,
    set: SelectionSetNode,
    properties: Record<string, JsonSchema>,
    required: string[],
  ): void {
    if (!isObjectType(parent) && !isInterfaceType(parent)) return
    const fields = parent.getFields()
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = this.#fragments.get(node.name.value)
        if (fragment) this.#collect(parent, fragment.selectionSet, properties, required)
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        this.#collect(parent, node.selectionSet, properties, required)
      } else {
        const key = node.alias?.value ?? node.name.value
        const field = fields[node.name.value]
        if (!field) continue
        const optional = this.#onlyWhenSet.has(key)
        // The rules of a free-form member are its JSON types, without null.
        const schema = { ...this.#present(field.type, node.selectionSet), ...zodRules(field.extensions.zod) }
        const mayBeNull = !optional && (field.extensions.nullInV1 || !isNonNullType(field.type))
        properties[key] = {
          ...(mayBeNull ? orNull(schema) : schema),
          ...(field.description ? { description: field.description } : {}),
        }
        if (!node.directives?.length && !optional) required.push(key)
      }
    }
  }
}

/**
 * Headers of an error response by their meanings. None is required: another reason for the same status does not send
 * them.
 */
export function errorHeadersOf(meanings: Readonly<Record<string, string>> = {}): JsonSchema {
  const headers = Object.entries(meanings).map(([name, description]) => [
    name,
    { description, schema: { type: 'integer' } },
  ])
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }
}
