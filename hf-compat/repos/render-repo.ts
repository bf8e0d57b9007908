/** A repo as `ModelInfo` and `DatasetInfo` read it. */
import { tagsTogether } from '@hub/formats/repo-tags'
import type { HfFile } from '../files/render-file.ts'
import { renderFile } from '../files/render-file.ts'
import type { Documents } from '../typed-documents.ts'
import { typeOf } from './find-repo.ts'

type HfRepoInfo = NonNullable<Documents['hf-repo-info']['answer']['repo']>

/** Its card is there where it was asked for. */
export type HfRepo = Omit<HfRepoInfo, 'card_data'> & Partial<Pick<HfRepoInfo, 'card_data'>>

/** `owner/name` as clients know it. */
export const nameOf = ({ owner, slug, hf_name }: Pick<HfRepo, 'owner' | 'slug' | 'hf_name'>): string =>
  `${owner.handle}/${hf_name ?? slug}`

/** The members of every answer about a repo. The hub counts no downloads and has no likes. */
export function renderRepo(repo: HfRepo) {
  const { owner, library_name, pipeline_tag, card_data } = repo
  const id = nameOf(repo)
  const isModel = typeOf(repo.kind) === 'model'
  return {
    _id: id,
    id,
    ...(isModel && { modelId: id }),
    author: owner.handle,
    sha: repo.commit_id,
    lastModified: repo.updated_at,
    createdAt: repo.created_at,
    private: repo.visibility === 'private',
    gated: false,
    disabled: false,
    downloads: 0,
    likes: 0,
    tags: tagsTogether(repo.tags, repo.card_tags, repo.card_labels),
    ...(isModel && library_name !== null && { library_name }),
    ...(isModel && pipeline_tag !== null && { pipeline_tag }),
    ...(card_data != null && { cardData: card_data }),
    ...(repo.description !== null && { description: repo.description }),
    usedStorage: repo.file_summary.total_bytes,
  }
}

/** A file of `siblings`; with `blobs` also its size and digests. */
export function renderSibling(file: HfFile, withBlobs: boolean) {
  if (!withBlobs) return { rfilename: file.path }
  const { path, size, oid, lfs } = renderFile(file)
  return { rfilename: path, size, blobId: oid, ...(lfs && { lfs }) }
}

/** The members of an answer that a client asks for, next to the name. */
export const only = (body: Readonly<Record<string, unknown>>, members: readonly string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => /^_?id$/.test(name) || members.includes(name)))
