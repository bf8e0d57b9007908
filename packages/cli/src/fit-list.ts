/** `hub map list`: what runs on a robot, or the robots that a repo runs on. */
import type { RepoFit } from '@hub/client'
import type { HubClient } from '@hub/client/internal'
import { marks } from '@hub/mjcf/folder/model-text'
import { countText } from './client-output.ts'
import { type CommandResult, pathOf } from './client-session.ts'
import { verdicts } from './map-output.ts'
import { inLine } from './terminal.ts'

export interface FitListOptions {
  readonly kind?: 'dataset' | 'model'
  readonly near?: boolean
  readonly limit: number
}

/** The most that a page of the hub has. */
const PAGE = 100

/** Pages until there are enough of them; one pair a line, and what blocks below. */
export async function listFits(client: HubClient, name: string, options: FitListOptions): Promise<CommandResult> {
  const path = pathOf(name)
  const { kind, near, limit } = options
  const fits: RepoFit[] = []
  let next: string | null = null
  do {
    const query = { kind, near, limit: Math.min(limit - fits.length, PAGE), ...(next && { cursor: next }) }
    const page = await client.v1.listFits({ path, query })
    fits.push(...page.items)
    next = page.items.length === 0 ? null : page.next_cursor
  } while (next !== null && fits.length < limit)
  const lines = fits.flatMap((fit) => [pairLine(`${path.owner}/${path.repo}`, fit), ...blocking(fit)])
  const more = next === null ? '' : `, and there are more: --limit ${2 * limit}`
  const count = fits.length === 0 ? noneText(near === true) : `${countText(fits.length, 'repo')}${more}`
  return { json: { fits, next_cursor: next }, text: [...lines, count].map((line) => `${line}\n`).join('') }
}

function pairLine(name: string, { repo, robot, verdict, map_version, map_reviewed_at }: RepoFit): string {
  const other = repo === name ? robot : repo
  const map =
    map_version === null ? '' : `, map version ${map_version}${map_reviewed_at === null ? ', not reviewed' : ''}`
  return inLine(`${other.padEnd(40)} ${verdicts[verdict]}${map}`)
}

const blocking = ({ differences }: RepoFit) =>
  differences
    .filter(({ blocks }) => blocks)
    .map(({ place, reason }) => inLine(`  ${marks.fail.sign} ${place}: ${reason}`))

const noneText = (near: boolean) =>
  near ? 'Nothing else has the same joints.' : 'Nothing fits; --near shows what has the same joints.'
