/** What the targets of entries are called, for those that the person may see. */
import { useMemo } from 'react'
import { useReading } from '../../ui/use-reading.ts'
import { type TargetsQuery, targetsQuery } from './targets.graphql.ts'

type Target = NonNullable<NonNullable<TargetsQuery['nodes']>[number]>

/** What has a name. Keys, sessions and others of the log have none. */
const named = /^(?:repo|run|check|ep|spend|user|org|dev)_/

/** The hub takes a hundred ids at once; what is further down a long list is shown by its id. */
const AT_ONCE = 100

/** By id; an entry whose target is gone or hidden has none. */
export function useTargets(ids: readonly string[]): ReadonlyMap<string, Target> {
  const asked = useMemo(() => [...new Set(ids.filter((id) => named.test(id)))].slice(0, AT_ONCE), [ids])
  const [{ data }] = useReading({ query: targetsQuery, variables: { ids: asked }, pause: asked.length === 0 })
  return useMemo(() => {
    const found = (data?.nodes ?? []).flatMap((node) => (node ? [[node.id, node] as const] : []))
    return new Map(found)
  }, [data])
}
