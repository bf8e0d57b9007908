/** The picture that stands for a repo in lists: the still of its card, or a file whose name says that it is one. */
import { signDownload } from '../files/presign-download.ts'
import type { RequestContext } from '../operation/context.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

/** A file of the repo that is shown as a picture. */
export type PictureFile = RowOf<typeof pictureColumns>

export interface RepoPicture {
  readonly light: PictureFile
  /** The same for a dark page. */
  readonly dark: PictureFile | null
}

/** Twice what a still may have: a list shows 30. */
export const MOST_BYTES = 4 * 1024 * 1024

/**
 * Of all cards that are read for one list. A card can be a megabyte long, and a list can have 100 of them: the stills
 * of those past it are not looked for.
 */
export const MOST_CARD_BYTES = 4 * 1024 * 1024

/** Files that are taken for the picture of a repo, those before others. */
export const pictureNames = [
  'thumbnail.png',
  'thumbnail.jpg',
  'thumbnail.webp',
  'preview.png',
  'preview.jpg',
  'preview.webp',
]
/** What a check writes beside `thumbnail.png`. */
const NAMED_DARK = 'thumbnail-dark.png'

/** What a browser draws, and runs nothing of. */
const isPicture = /\.(?:png|jpe?g|webp|gif|avif)$/i

const pictureColumns = columns({
  repoId: column.text('q.repo_id'),
  path: column.text('f.path'),
  mime: column.text.orNull('f.mime'),
  storageKey: column.text('b.storage_key'),
  sha256: column.text.orNull('b.sha256'),
  /** Of its card's stills; null for a file that only its name makes a picture. */
  theme: column.text.orNull('w.theme'),
})

/** Each repo with the bytes of the cards up to its own, looked up row by row: a join would scan all cards. */
const asked = `select a.repo_id, sum(a.card_bytes) over (order by a.place) as bytes from (
      select r.repo_id, r.place, (select card_bytes from robot_cards where repo_id = r.repo_id)
        from unnest(:repoIds::text[]) with ordinality as r(repo_id, place)) a`

/** Read once: both of its paths are taken from what is left of it. */
const stills = `(select card #> '{thumbnail_paths}' from robot_cards
      where repo_id = q.repo_id and q.bytes <= :cardBytes)`

const picturesOfRepos = statement({
  name: 'repo-pictures',
  exact: 'per-parent',
  columns: pictureColumns,
  params: { repoIds: param.texts(), names: param.texts(), mostBytes: param.int8(), cardBytes: param.int8() },
  text: `select ${pictureColumns.sql} from (${asked}) q
    cross join lateral (select ${stills} as stills offset 0) c
    cross join lateral (
      select c.stills ->> 'light' as path, 'light' as theme, 0 as place
      union all select c.stills ->> 'dark', 'dark', 0
      union all select n.name, null, n.place::int from unnest(:names::text[]) with ordinality as n(name, place)
    ) w
    join files f on f.repo_id = q.repo_id and f.path = w.path and f.to_seq is null
    join blobs b on b.id = f.blob_id and b.size <= :mostBytes
    order by q.repo_id, w.place`,
})

/**
 * The pictures of repos that the caller sees (already checked), in the order requested; null for a repo without one,
 * and for all where the hub keeps no files. One statement for any number.
 */
export async function picturesOf(
  { deps }: Pick<RequestContext, 'deps'>,
  repoIds: readonly string[],
): Promise<(RepoPicture | null)[]> {
  if (deps.objects === null) return repoIds.map(() => null)
  const names = [...pictureNames, NAMED_DARK]
  const rows = await deps.db.query(picturesOfRepos, {
    repoIds,
    names,
    mostBytes: MOST_BYTES,
    cardBytes: MOST_CARD_BYTES,
  })
  const ofRepo = Map.groupBy(
    rows.filter(({ path }) => isPicture.test(path)),
    ({ repoId }) => repoId,
  )
  return repoIds.map((id) => pictureAmong(ofRepo.get(id) ?? []))
}

/** Stills of the card win over names; a dark one is taken only beside a light one of the same origin. */
function pictureAmong(files: readonly PictureFile[]): RepoPicture | null {
  const light =
    files.find(({ theme }) => theme === 'light') ??
    files.find(({ theme, path }) => theme === null && path !== NAMED_DARK)
  if (light === undefined) return null
  const isDark = ({ theme, path }: PictureFile) =>
    light.theme === 'light' ? theme === 'dark' : light.path === pictureNames[0] && path === NAMED_DARK
  return { light, dark: files.find(isDark) ?? null }
}

/** A URL of the picture for an hour, by which a page shows it. No network call. */
export const signPicture = (ctx: Pick<RequestContext, 'deps'>, file: PictureFile): Promise<string> =>
  signDownload(ctx, file)
