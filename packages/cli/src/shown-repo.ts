/** A repo as the command line shows it. */
import type { AtLeast, HubClient, RemoteRepo, RepoLineage } from '@hub/client/internal'
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
    tags: [...new Set([...repo.tags, ...repo.card_tags])],
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
function lineageFacts({ producedBy, usedBy }: RepoLineage): Record<string, string | null> {
  const uses = [
    some(usedBy.runs, 'run'),
    some(usedBy.repos, 'repo'),
    some(usedBy.checks, 'check'),
    some(usedBy.endpoints, 'endpoint'),
  ]
  const used = uses.filter((text) => text !== null).join(', ')
  return { 'produced by': some(producedBy, 'run'), 'used by': used === '' ? null : used }
}

const some = ({ count, isMore }: AtLeast, noun: string): string | null =>
  count === 0 ? null : isMore ? `${count} ${noun}s or more` : countText(count, noun)
