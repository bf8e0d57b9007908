/**
 * Texts in the path and query of routes that are not GraphQL documents: the same rule as for every input of the graph.
 * Contract, "Text".
 */

import { textFault } from '@hub/formats/text-rules'
import type { FastifyRequest } from 'fastify'
import { type ErrorItem, HubError } from '../platform/errors.ts'

/**
 * A hook before the handler: 422 with one entry for each member that is not text. `names`: what a member of the path is
 * called in the interface.
 */
export function assertTexts(names: Readonly<Record<string, string>> = {}) {
  return async ({ params, query }: FastifyRequest): Promise<void> => {
    const items = [...faultsIn('path', params, names), ...faultsIn('query', query, {})]
    const [first] = items
    if (first) throw new HubError('validation.failed', `${first.loc?.join('.')}: ${first.detail}`, { items })
  }
}

function faultsIn(where: 'path' | 'query', members: unknown, names: Readonly<Record<string, string>>): ErrorItem[] {
  return Object.entries(members as Readonly<Record<string, string | string[]>>).flatMap(([name, value]) => {
    const detail = [value]
      .flat()
      .map(textFault)
      .find((fault) => fault !== null)
    return detail ? [{ type: 'validation.value', detail, loc: [where, names[name] ?? name] }] : []
  })
}
