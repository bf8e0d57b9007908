/**
 * A query of one root field whose answer is a projection of what that field has read (`projection.ts`): nothing below it
 * needs an executor.
 */
import { type GraphQLInputType, typeFromAST, valueFromAST } from 'graphql'
import { lazy } from '../../../platform/lazy.ts'
import { conditionsIn, MAX_CONDITIONS } from '../../compiled/conditions.ts'
import { type Projection, projectionOf, type Selected, Waits } from './projection.ts'
import { fragmentsOf, type RootParts, type RootRead, rootReadOf } from './root-read.ts'

interface Parts extends RootParts, Pick<Selected, 'isReady'> {}

type Variables = Readonly<Record<string, unknown>>

/** Its answers as projections, one for each combination of the variables that decide what is selected. */
export class ProjectedDocument {
  /** Reads the root field; null where only an executor does. */
  readonly rootRead: () => RootRead | null
  readonly #parts: Parts
  readonly #projections = new Map<string, Projection | null>()
  readonly #conditions = lazy(() => conditionsOf(this.#parts))

  constructor(parts: Parts) {
    this.#parts = parts
    this.rootRead = lazy(() => rootReadOf(parts))
  }

  /** Of the answer to these variables; null if it has to be executed. */
  projection(variables: Variables): Projection | null {
    let key = ''
    for (const { name, ifAbsent } of this.#conditions()) {
      const value = variables[name] ?? ifAbsent
      if (typeof value !== 'boolean') return null
      key += value ? '1' : '0'
    }
    const known = this.#projections.get(key)
    if (known !== undefined) return known
    const made = this.#made(key)
    this.#projections.set(key, made)
    return made
  }

  /** The value in the answer; undefined if it has an error or waits: then it has to be executed. */
  project(projection: Projection, value: unknown): unknown {
    if (value === null || value === undefined) return null
    try {
      return projection(value)
    } catch (error) {
      // It always would.
      if (error instanceof Waits) for (const key of this.#projections.keys()) this.#projections.set(key, null)
      return undefined
    }
  }

  #made(key: string): Projection | null {
    const { document, root, rootField, schema, isReady } = this.#parts
    const names = this.#conditions()
    if (names.length > MAX_CONDITIONS) return null
    const conditions = Object.fromEntries(names.map(({ name }, at) => [name, key[at] === '1']))
    return projectionOf(rootField, root, { schema, fragments: fragmentsOf(document), conditions, isReady })
  }
}

interface Condition {
  readonly name: string
  /** Its default. */
  readonly ifAbsent: unknown
}

function conditionsOf({ document, operation, schema }: Parts): readonly Condition[] {
  return conditionsIn(document).map((name) => {
    const node = operation.variableDefinitions?.find(({ variable }) => variable.name.value === name)
    const type = node && typeFromAST(schema, node.type as never)
    const ifAbsent = type && valueFromAST(node.defaultValue, type as GraphQLInputType)
    return { name, ifAbsent }
  })
}
