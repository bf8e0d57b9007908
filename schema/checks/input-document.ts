/** From a typed input to the document that is kept: the names of `/v1`, absent members absent. */

import { ExactNumber, isJsonObject } from '@hub/formats/exact-json'
import type { Document } from '../../src/checks/check-shape.ts'
import { toSnake } from '../../src/platform/member-name.ts'

/** Members whose value is free: the names inside belong to others. */
const free: ReadonlySet<string> = new Set([
  'scales',
  'task',
  'defaultPose',
  'data',
  'loc',
  'manifest',
  'graph',
  'differing',
  'conversion',
])

/** Null where nothing is given. */
export function documentOfInput(input: object | null | undefined): Document | null {
  return input == null ? null : (convert(input) as Document)
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  if (value instanceof ExactNumber || !isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [toSnake(name), free.has(name) ? member : convert(member)]))
}
