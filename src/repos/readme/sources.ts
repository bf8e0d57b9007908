/** The repos that a card says its repo is made from, and which repos here these are. Contract, "Lineage". */
import { slugOfName } from '@hub/formats/text-rules'
import { repoViewer, visibleRepos } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import { listOf, objectOf, oneOf, text } from '../../store/read-json.ts'
import { param, statement } from '../../store/statement.ts'
import { type Repo, repoColumns, toRepo, visibleRepo } from '../repo-shape.ts'
import { type CardSource, README_PATH } from './readme-card.ts'

const sourceColumns = columns({
  repoId: column.text('f.repo_id'),
  sources: column.json(
    'k.sources',
    listOf(objectOf<CardSource>({ relation: oneOf('dataset', 'base_model'), name: text })),
  ),
})

const sourcesOf = statement({
  name: 'readme-sources',
  exact: 'aggregate',
  columns: sourceColumns,
  params: { repoIds: param.texts() },
  text: `select ${sourceColumns.sql} from files f join readme_cards k on k.blob_id = f.blob_id
    where f.repo_id = any(:repoIds::text[]) and f.path = '${README_PATH}' and f.to_seq is null`,
})

/** Of repos visible to the caller (already checked), in the order requested. One statement for any number. */
export async function sourcesOfRepos(
  { deps }: Pick<RequestContext, 'deps'>,
  repoIds: readonly string[],
): Promise<(readonly CardSource[])[]> {
  const rows = await deps.db.query(sourcesOf, { repoIds })
  const found = new Map(rows.map(({ repoId, sources }) => [repoId, sources]))
  return repoIds.map((id) => found.get(id) ?? [])
}

const meantColumns = repoColumns.with({ place: column.int4('asked.place::int') })

/**
 * A name means the repo that has it now, by its slug or as another client gave it, in any letter case; a name that
 * no one has, the repo that had it as its slug before it was moved.
 */
const reposMeant = statement({
  name: 'readme-sources-meant',
  exact: 'aggregate',
  columns: meantColumns,
  params: {
    ...repoViewer,
    owners: param.texts(),
    names: param.texts(),
    slugs: param.texts(),
    relations: param.texts(),
  },
  text: `select ${meantColumns.sql}
    from unnest(:owners::text[], :names::text[], :slugs::text[], :relations::text[])
      with ordinality as asked(owner, name, slug, relation, place)
    join accounts holder on holder.handle = asked.owner
    cross join lateral (select t.id from repos t
        where t.owner_id = holder.id and t.slug = asked.slug and asked.name in (t.slug, lower(t.hf_name))
      union all select n.repo_id from repo_old_names n
        where n.owner_id = holder.id and n.slug = asked.slug and asked.name = n.slug
          and not exists (select 1 from repos t where t.owner_id = holder.id and t.slug = n.slug)) meant
    join repos r on r.id = meant.id
      and r.kind = (case asked.relation when 'dataset' then 'dataset' else 'model' end)::"RepoKind"
    join accounts o on o.id = r.owner_id
    where ${visibleRepo}`,
})

/** `owner/name`, as Hugging Face writes it. */
const FULL_NAME = /^([a-z0-9-]{1,64})\/([a-z0-9._-]{1,64})$/

/**
 * The repo that each of these means, in their order; null if there is none of that kind that the caller sees. One
 * statement for any number.
 */
export async function reposOfSources(
  { deps, viewer }: RequestContext,
  sources: readonly CardSource[],
): Promise<(Repo | null)[]> {
  const asked = sources.map(({ relation, name }) => {
    const [, owner = '', slugLike = ''] = FULL_NAME.exec(name.toLowerCase()) ?? []
    return { owner, name: slugLike, slug: slugOfName(slugLike), relation }
  })
  const rows = await deps.db.query(reposMeant, {
    ...visibleRepos(viewer),
    owners: asked.map(({ owner }) => owner),
    names: asked.map(({ name }) => name),
    slugs: asked.map(({ slug }) => slug),
    relations: asked.map(({ relation }) => relation),
  })
  const found = new Map(rows.map((row) => [row.place, toRepo(row)]))
  return sources.map((_, index) => found.get(index + 1) ?? null)
}
