/** What of a map its page shows, as the query of its address: a link shows the same. Pure. */
import { isRepoName } from '../../../episodes/episode-address.ts'

export interface MapAddress {
  /** The kept version that a person chose; null for the newest. */
  readonly version: number | null
  /** The robot with the joints of the source that a person chose, empty for none; null for the one that it names. */
  readonly body: string | null
}

/** What is absent or broken is null. */
export function readMapAddress(query: URLSearchParams): MapAddress {
  const version = query.get('version') ?? ''
  const body = query.get('body')
  return {
    version: /^[1-9]\d{0,8}$/.test(version) ? Number(version) : null,
    body: body === '' || (body !== null && isRepoName(body)) ? body : null,
  }
}

/** The query with a change in it. */
export function writtenMapAddress(query: URLSearchParams, change: Partial<MapAddress>): URLSearchParams {
  const written = new URLSearchParams(query)
  for (const [name, value] of Object.entries(change))
    if (value === null) written.delete(name)
    else written.set(name, String(value))
  return written
}
