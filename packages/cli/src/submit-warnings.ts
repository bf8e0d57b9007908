/**
 * Finds repos of this hub that a recipe names but that do not exist. The hub accepts such a run, because only its
 * runner interprets the names.
 */

import { type HubClient, ProblemError } from '@hub/client/internal'
import { ownDataset } from '@hub/formats/dataset-ref'
import { fullNameText } from '@hub/formats/text-rules'

interface RepoRef {
  readonly kind: 'dataset' | 'robot'
  readonly fullName: string
}

/**
 * One sentence per missing repo; one request per distinct name. Rejects with the client's errors, except for invisible
 * repos.
 */
export async function missingRepos(client: HubClient, recipe: Readonly<Record<string, unknown>>): Promise<string[]> {
  const warnings: string[] = []
  for (const { kind, fullName } of reposIn(recipe)) {
    const found = await kindOf(client, fullName)
    if (found === null) warnings.push(`the ${kind} ${fullName} is not on this hub, or not visible to you`)
    else if (found !== kind) warnings.push(`${fullName} is a ${found} on this hub, not a ${kind}`)
  }
  return warnings
}

function reposIn({ dataset, robot }: Readonly<Record<string, unknown>>): RepoRef[] {
  const refs = Array.isArray(dataset) ? dataset.filter((ref) => typeof ref === 'string') : []
  const names = refs.map(ownDataset).flatMap((name) => (name ? [`${name.owner}/${name.slug}`] : []))
  // Any other robot value is a plain label, not a repo.
  const own = typeof robot === 'string' ? fullNameText.safeParse(robot.toLowerCase()).data : undefined
  return [
    ...(own === undefined ? [] : [{ kind: 'robot' as const, fullName: own }]),
    ...[...new Set(names)].map((fullName) => ({ kind: 'dataset' as const, fullName })),
  ]
}

async function kindOf(client: HubClient, fullName: string): Promise<string | null> {
  const [owner = '', slug = ''] = fullName.split('/')
  try {
    return (await client.getRepo({ owner, slug })).kind
  } catch (error) {
    if (error instanceof ProblemError && (error.status === 404 || error.status === 403)) return null
    throw error
  }
}
