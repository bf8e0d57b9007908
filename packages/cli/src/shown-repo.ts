/** A repo as the command line shows it. */
import type { AtLeast, HubClient, RemoteRepo, RepoLineage } from '@hub/client/internal'
import { tagsTogether } from '@hub/formats/repo-tags'
import { countText, sizeText } from './client-output.ts'
import type { CommandResult } from './client-session.ts'
import { pageAddress } from './open-command.ts'
import { linesOf } from './output.ts'

/** The facts of a repo, with its lineage where that was read. */
export function shownRepo({ url }: HubClient, repo: RemoteRepo, lineage: RepoLineage | null = null): CommandResult {
  const { count, total_bytes: bytes } = repo.file_summary
  const facts = {
    repo: repo.full_name,
    id: repo.id,
    kind: repo.kind,
    visibility: repo.visibility,
    description: repo.description,
    tags: tagsTogether(repo.tags, repo.card_tags),
    license: repo.license ?? null,
    files: `${countText(count, 'file')}, ${sizeText(bytes)}`,
    updated: repo.updated_at,
    ...(lineage && lineageFacts(lineage)),
    page: pageAddress(url, repo.full_name),
    api: `${url}/v1/repos/${repo.full_name}`,
  }
  return { json: repo, text: linesOf(facts) }
}

/** Only what there is: a dataset is produced by no run. */
function lineageFacts({ sources, producedBy, usedBy }: RepoLineage): Record<string, string | null> {
  const uses = [
    some(usedBy.runs, 'run'),
    some(usedBy.repos, 'repo'),
    some(usedBy.checks, 'check'),
    some(usedBy.endpoints, 'endpoint'),
  ]
  const used = uses.filter((text) => text !== null).join(', ')
  return { ...madeFrom(sources), 'produced by': some(producedBy, 'run'), 'used by': used === '' ? null : used }
}

/** Names of one line: a card may name fifty. */
const MOST_NAMED = 5

/** What its card names, by the name that it has here. */
function madeFrom(sources: RepoLineage['sources']): Record<string, string | null> {
  const named = (relation: 'DATASET' | 'BASE_MODEL'): string | null => {
    const names = sources
      .filter((source) => source.relation === relation)
      .map(({ name, repo }) => repo?.fullName ?? `${name} (not here)`)
    if (names.length === 0) return null
    const more = names.length - MOST_NAMED
    return [...names.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ')
  }
  return { datasets: named('DATASET'), 'base models': named('BASE_MODEL') }
}

const some = ({ count, isMore }: AtLeast, noun: string): string | null =>
  count === 0 ? null : isMore ? `${count} ${noun}s or more` : countText(count, noun)
