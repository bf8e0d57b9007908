/**
 * Executes a planned operation as graphql-js 16 does (`execution/execute.js` there, function by function): the same
 * values, and the same errors in the same order, because it waits for the same promises. What it does not do is
 * compute again for each object what the plan has, and call a resolver, with arguments and info, for each member of a
 * row.
 */
import {
  defaultTypeResolver,
  type ExecutionResult,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isObjectType,
  locatedError,
} from 'graphql'
import { inspect } from 'graphql/jsutils/inspect.js'
import { addPath, type Path, pathToArray } from 'graphql/jsutils/Path.js'
import type { RequestContext } from '../../operation/context.ts'
import { unread } from '../counted-schema.ts'
import { meterOf, type OperationMeter } from '../operation-meter.ts'
import type { FieldPlan, ObjectPlan, OperationPlan, ValuePlan } from './plan.ts'

/** What one execution is given, besides its plan. */
interface Given {
  readonly context: RequestContext
  readonly rootValue: unknown
  /** Coerced. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** Where a value is in the answer. */
type Place = Path | undefined

/** Runs a query, or one event of a subscription. */
export function executePlan(plan: OperationPlan, given: Given): Promise<ExecutionResult> | ExecutionResult {
  const execution = new Execution(plan, given)
  const failed = (error: unknown) => {
    execution.errors.add(error as GraphQLError, undefined)
    return execution.resultOf(null)
  }
  try {
    const data = execution.fieldsOf(plan.root, given.rootValue, undefined)
    if (!isPromise(data)) return execution.resultOf(data)
    return data.then((value) => execution.resultOf(value), failed)
  } catch (error) {
    return failed(error)
  }
}

/** Errors, without those below a place that is null already. */
class CollectedErrors {
  readonly list: GraphQLError[] = []
  readonly #places = new Set<Place>()

  add(error: GraphQLError, place: Place): void {
    for (let at = place; at !== undefined; at = at.prev) if (this.#places.has(at)) return
    if (this.#places.has(undefined)) return
    this.#places.add(place)
    this.list.push(error)
  }
}

type Members = Record<string, unknown>

class Execution {
  readonly errors = new CollectedErrors()
  readonly #plan: OperationPlan
  readonly #given: Given
  readonly #meter: OperationMeter | undefined

  constructor(plan: OperationPlan, given: Given) {
    this.#plan = plan
    this.#given = given
    this.#meter = meterOf(given.context)
  }

  resultOf(data: unknown): ExecutionResult {
    const errors = this.errors.list
    return errors.length === 0 ? { data: data as Members } : { errors, data: data as Members | null }
  }

  /** The members of an object; a promise if one of them is. */
  fieldsOf({ fields, isBare }: ObjectPlan, source: unknown, path: Place): Members | Promise<Members> {
    const members: Members = isBare ? Object.create(null) : {}
    let waiting: string[] | null = null
    try {
      for (const field of fields) {
        const value = this.#field(field, source, path)
        members[field.key] = value
        if (!isPromise(value)) continue
        waiting ??= []
        waiting.push(field.key)
      }
    } catch (error) {
      if (!waiting) throw error
      // graphql-js waits for all of them, and has this error even if one of theirs comes first.
      const all = Promise.all(Object.values(members)).then(() => members)
      return all.finally(() => {
        throw error
      })
    }
    return waiting ? settledMembers(members, waiting) : members
  }

  #field(field: FieldPlan, source: unknown, path: Place): unknown {
    if (field.typename !== null) return field.typename
    if (field.isReadLeaf && this.#meter) return this.#leafField(field, this.#meter, source, path)
    const at = addPath(path, field.key, field.parentType.name)
    try {
      const meter = this.#meter
      const isRead = field.read !== null && meter !== undefined
      const info = isRead && !field.needsInfo ? null : this.#info(field, at)
      const result = isRead
        ? this.#read(field, meter, source, info, at)
        : field.resolve(source, this.#arguments(field), this.#given.context, info as GraphQLResolveInfo)
      return this.#settled(field, info, at, result)
    } catch (error) {
      return this.#failed(error, field, field.value, at)
    }
  }

  /** As `#field`. The place is made only where something is not as usual. */
  #leafField(field: FieldPlan, meter: OperationMeter, source: unknown, path: Place): unknown {
    const { value } = field
    try {
      const result = field.read?.read(meter, source, field.name, 0)
      if (result !== unread && !isPromise(result)) return this.#value(field, value, null, undefined, result)
      const at = addPath(path, field.key, field.parentType.name)
      return this.#settled(field, null, at, result === unread ? this.#begun(field, meter, source, at) : result)
    } catch (error) {
      return this.#failed(error, field, value, addPath(path, field.key, field.parentType.name))
    }
  }

  #read(field: FieldPlan, meter: OperationMeter, source: unknown, info: GraphQLResolveInfo | null, at: Place): unknown {
    const result = field.read?.read(meter, source, field.name, field.keyBytes)
    return result === unread ? this.#begun(field, meter, source, at, info) : result
  }

  /** A member that is a function or a promise. */
  #begun(field: FieldPlan, meter: OperationMeter, source: unknown, at: Place, info: GraphQLResolveInfo | null = null) {
    const call = [source, this.#arguments(field), this.#given.context, info ?? this.#info(field, at)] as const
    return field.read?.begun(meter, [...call])
  }

  /** The completed result of a resolver. */
  #settled(field: FieldPlan, info: GraphQLResolveInfo | null, at: Place, result: unknown): unknown {
    const { value } = field
    const completed = isPromise(result)
      ? result.then((settled) => this.#value(field, value, info, at, settled))
      : this.#value(field, value, info, at, result)
    return isPromise(completed) ? this.#caught(completed, field, value, at) : completed
  }

  #caught(completed: Promise<unknown>, field: FieldPlan, value: ValuePlan, path: Place): Promise<unknown> {
    return completed.then(undefined, (error: unknown) => this.#failed(error, field, value, path))
  }

  #failed(raw: unknown, field: FieldPlan, { isNeeded }: ValuePlan, path: Place): null {
    const error = locatedError(raw, [...field.nodes], pathToArray(path))
    if (isNeeded) throw error
    this.errors.add(error, path)
    return null
  }

  #arguments(field: FieldPlan): Record<string, unknown> {
    const node = field.nodes[0]
    if (!node || field.field.args.length === 0) return {}
    return getArgumentValues(field.field, node, this.#given.variables)
  }

  #info({ name, nodes, field, parentType }: FieldPlan, path: Place): GraphQLResolveInfo {
    const { schema, fragments, operation } = this.#plan
    const { rootValue, variables: variableValues } = this.#given
    return {
      fieldName: name,
      fieldNodes: nodes,
      returnType: field.type,
      parentType,
      path: path as Path,
      schema,
      fragments,
      rootValue,
      operation,
      variableValues,
    }
  }

  /** The value as the answer has it. `info` is there for what asks for a type. */
  #value(field: FieldPlan, plan: ValuePlan, info: GraphQLResolveInfo | null, path: Place, result: unknown): unknown {
    if (result instanceof Error) throw result
    if (result == null) {
      if (plan.isNeeded) throw nullOf(field)
      return null
    }
    switch (plan.kind) {
      case 'leaf':
        return serialized(plan.type, result)
      case 'list':
        return this.#list(field, plan.item, info, path, result)
      case 'object':
        return this.#object(field, plan.type, info, path, result)
      case 'abstract':
        return this.#abstract(field, plan.type, info, path, result)
    }
  }

  #list(field: FieldPlan, item: ValuePlan, info: GraphQLResolveInfo | null, path: Place, result: unknown): unknown {
    if (typeof result !== 'object' || typeof (result as Iterable<unknown>)[Symbol.iterator] !== 'function') {
      const place = `${field.parentType.name}.${field.name}`
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${place}".`)
    }
    let isWaiting = false
    const values = Array.from(result as Iterable<unknown>, (one, index) => {
      const at = addPath(path, index, undefined)
      try {
        const completed = isPromise(one)
          ? one.then((settled) => this.#value(field, item, info, at, settled))
          : this.#value(field, item, info, at, one)
        if (!isPromise(completed)) return completed
        isWaiting = true
        return this.#caught(completed, field, item, at)
      } catch (error) {
        return this.#failed(error, field, item, at)
      }
    })
    return isWaiting ? Promise.all(values) : values
  }

  #abstract(
    field: FieldPlan,
    type: GraphQLAbstractType,
    info: GraphQLResolveInfo | null,
    path: Place,
    result: unknown,
  ) {
    const known = info as GraphQLResolveInfo
    const name = (type.resolveType ?? defaultTypeResolver)(result, this.#given.context, known, type)
    const completed = (settled: unknown) =>
      this.#object(field, this.#runtimeType(field, type, settled, result), known, path, result)
    return isPromise(name) ? name.then(completed) : completed(name)
  }

  #runtimeType(field: FieldPlan, type: GraphQLAbstractType, name: unknown, result: unknown): GraphQLObjectType {
    const nodes = { nodes: [...field.nodes] }
    const place = `for field "${field.parentType.name}.${field.name}"`
    const must = `Abstract type "${type.name}" must resolve to an Object type at runtime ${place}`
    if (name == null) {
      const advice = `Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`
      throw new GraphQLError(`${must}. ${advice}`, nodes)
    }
    if (typeof name !== 'string')
      throw new GraphQLError(`${must} with value ${inspect(result)}, received "${inspect(name)}".`)
    const found = this.#plan.schema.getType(name)
    const resolved = `Abstract type "${type.name}" was resolved to a`
    if (!found) throw new GraphQLError(`${resolved} type "${name}" that does not exist inside the schema.`, nodes)
    if (!isObjectType(found)) throw new GraphQLError(`${resolved} non-object type "${name}".`, nodes)
    if (this.#plan.schema.isSubType(type, found)) return found
    throw new GraphQLError(`Runtime Object type "${found.name}" is not a possible type for "${type.name}".`, nodes)
  }

  #object(field: FieldPlan, type: GraphQLObjectType, info: GraphQLResolveInfo | null, path: Place, result: unknown) {
    const plan = this.#plan.below(field, type)
    if (!type.isTypeOf) return this.fieldsOf(plan, result, path)
    const completed = (isIt: boolean) => {
      if (isIt) return this.fieldsOf(plan, result, path)
      const message = `Expected value of type "${type.name}" but got: ${inspect(result)}.`
      throw new GraphQLError(message, { nodes: [...field.nodes] })
    }
    const isIt = type.isTypeOf(result, this.#given.context, info as GraphQLResolveInfo)
    return isPromise(isIt) ? isIt.then(completed) : completed(isIt)
  }
}

/**
 * The object once its promises are settled. graphql-js waits for all members, and those that are not promises are
 * settled before any that is: it makes no difference.
 */
async function settledMembers(members: Members, waiting: readonly string[]): Promise<Members> {
  const values = await Promise.all(waiting.map((key) => members[key]))
  for (const [at, key] of waiting.entries()) members[key] = values[at]
  return members
}

const nullOf = ({ parentType, name }: FieldPlan) =>
  new Error(`Cannot return null for non-nullable field ${parentType.name}.${name}.`)

function serialized(type: GraphQLLeafType, result: unknown): unknown {
  const value = type.serialize(result)
  if (value != null) return value
  const call = `\`${inspect(type)}.serialize(${inspect(result)})\``
  throw new Error(`Expected ${call} to return non-nullable value, returned: ${inspect(value)}`)
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as Promise<T> | null | undefined)?.then === 'function'
