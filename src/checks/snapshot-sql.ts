/**
 * The snapshot of a check, as SQL on the checks row `u` and the files row `f`: the file log of the source repo at
 * `source_seq`.
 */
import { MAX_CHANGED_SHOWN } from './limits.ts'

/** The file is in the part of the repo that the check is about. */
export const inSource = `starts_with(f.path, u.source_prefix)
  and (not u.source_flat or strpos(substr(f.path, length(u.source_prefix) + 1), '/') = 0)`

/** The file was live when the check was queued. */
export const atQueueTime = `f.repo_id = u.source_repo_id and f.from_seq <= u.source_seq and (f.to_seq is null or f.to_seq > u.source_seq)`

/**
 * The first 20 paths of the snapshot that were replaced or deleted since, as a JSON array; empty unless the check may
 * still be published.
 */
export const changedSql = `case when u.status = 'succeeded' and u.published_at is null then (
    select coalesce(json_agg(changed.path), '[]') from (select f.path from files f
      where f.repo_id = u.source_repo_id and f.to_seq > u.source_seq and f.from_seq <= u.source_seq and ${inSource}
      order by f.path limit ${MAX_CHANGED_SHOWN}) changed) else '[]' end`
