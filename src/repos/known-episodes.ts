/** Which episodes a data set has, as far as its meta block counts them: none is named that is not there. */
import { invalid, type Loc } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

const countColumns = columns({ episodes: column.int4('m.episode_count') })

const countOf = statement({
  name: 'dataset-episode-count',
  exact: 'in-transaction',
  columns: countColumns,
  params: { repoId: param.text() },
  text: `select ${countColumns.sql} from dataset_meta m where m.repo_id = :repoId`,
})

/** How many episodes the data set has, numbered from 0; null where nothing says it. The caller has locked the repo. */
export async function knownEpisodes(querier: Querier, repoId: string): Promise<number | null> {
  const [found] = await querier.query(countOf, { repoId })
  return found?.episodes ?? null
}

/** 422 at `loc` for an episode past the last one; `known` is null where nothing says how many there are. */
export function assertEpisode(fullName: string, known: number | null, episode: number, loc: Loc): void {
  if (known === null || episode < known) return
  const last = known === 0 ? 'it has none yet' : `its last one is ${known - 1}`
  const detail = `${fullName} has no episode ${episode}: ${last}. If it has more, push its meta/info.json first.`
  throw invalid('validation.value', detail, loc)
}
