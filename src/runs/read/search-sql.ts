/**
 * A search of runs by words. An index of the owner and of all words of a run finds those with rare ones; a word that
 * very many have is found soon by reading the newest runs.
 */
import { isIndexed } from '../../store/short-search.ts'

/**
 * What a search looks in: what people call a run, and the parts of the name that the hub makes; those that it has, with
 * spaces between them. No report changes any of it after the first. The index `runs_words` has this very expression,
 * which is why it is not `concat_ws`.
 */
const wordsOf = (u: string) =>
  `lower(substr(coalesce(' ' || ${u}.name, '') || coalesce(' ' || ${u}.output_repo_name, '')
    || (' ' || ${u}.template) || coalesce(' ' || ${u}.robot, '') || (' ' || right(${u}.id, 6))
    || coalesce(' ' || ${u}.project, '') || coalesce(' ' || ${u}.run_group, ''), 2))`

/** Whether the run `u` has the text `:q` in its words, or is named by it. */
export const hasWords = `(strpos(${wordsOf('u')}, :q) > 0 or u.id = :q)`

/** The value of `:q` as a literal regular expression, which a trigram index serves. */
export const patternOf = (q: string) => `***=${q}`

/** Runs that the index is asked for: so many are read and sorted for each page. */
const MAX_HITS = 1000

/** The two ways to find what has the words, of which the number of hits chooses one; nothing else is executed. */
export interface SearchWays {
  /** The hits of all accounts of the caller, to stand in a `with`. */
  readonly hits: string
  /** Conditions on `u` in addition to all others, each for a stream of its own. */
  readonly conditions: readonly string[]
}

/**
 * How a search by `:q` is done within the accounts of the caller. Null where it reads their runs from the newest one on,
 * a bounded number for each page: for one or two letters.
 */
export function searchWays(q: string | null | undefined): SearchWays | null {
  if (!q || !isIndexed(q)) return null
  // `offset 0`: planned for all that there is, of which no more is read than is asked for.
  const hits = `hits as materialized (select found.id from unnest(:accountIds::text[]) mine(id)
      cross join lateral (select u.id from runs u where array[u.owner_id] @> array[mine.id]
        and ${wordsOf('u')} ~ :pattern offset 0) found
      where :ownerId::text is null or mine.id = :ownerId limit ${MAX_HITS + 1})`
  const count = '(select count(*) from hits)'
  const few = `${count} <= ${MAX_HITS} and u.id = any(array(select id from hits union all select :q::text))`
  return { hits, conditions: [few, `${count} > ${MAX_HITS}`] }
}
