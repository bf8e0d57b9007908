/** What of a recipe names a repo of this hub that is not there: the hub takes such a run, since only its runner knows what a name means to it. */
import { type HubClient, ProblemError } from '../client/index.ts'
import { ownDataset } from '../planner/recipe/dataset-ref.ts'
import { fullNameText } from '../platform/text-rules.ts'

interface Named {
  readonly kind: 'dataset' | 'robot'
  readonly fullName: string
}

/** A sentence for each; one request for each distinct name. Rejects as the client does, but not for what cannot be seen. */
export async function missingRepos(client: HubClient, recipe: Readonly<Record<string, unknown>>): Promise<string[]> {
  const warnings: string[] = []
  for (const { kind, fullName } of namedIn(recipe)) {
    const found = await kindOf(client, fullName)
    if (found === null) warnings.push(`the ${kind} ${fullName} is not on this hub, or not visible to you`)
    else if (found !== kind) warnings.push(`${fullName} is no ${kind} on this hub, but a ${found}`)
  }
  return warnings
}

function namedIn({ dataset, robot }: Readonly<Record<string, unknown>>): Named[] {
  const refs = Array.isArray(dataset) ? dataset.filter((ref) => typeof ref === 'string') : []
  const names = refs.map(ownDataset).flatMap((name) => (name ? [`${name.owner}/${name.slug}`] : []))
  // Any other robot is a word, which names nothing here.
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
