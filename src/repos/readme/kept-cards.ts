/**
 * Cards by the bytes of a README, and the columns of a repo that show the one of its current state. A card is read
 * before the transaction that makes a state, or by a job; the transaction itself reads no file.
 */
import type { Querier, Tx } from '../../store/db.ts'
import { insertSelected, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { README_PATH, type ReadmeCard } from './readme-card.ts'

/** A README.md that was read from the store, which need not be the one that the repo has by now. */
export interface ReadReadme {
  readonly storageKey: string
  /** Computed by the hub; null where it has not yet. */
  readonly sha256: string | null
  readonly card: ReadmeCard
}

const liveReadme = `f.repo_id = :repoId and f.path = '${README_PATH}' and f.to_seq is null`

/**
 * The changes of a row of `repos` that follow from the README.md that it has now, with `readmeSource` behind `from`. The
 * statement must have begun under the repo's lock.
 */
export const readmeColumns = `card_facts = k.facts, card_tags = coalesce(k.tags, '{}'), card_labels = coalesce(k.labels, '{}'),
  card_bytes = coalesce(octet_length(k.data::text), 0), card_pending = f.blob_id is not null and k.blob_id is null`
export const readmeSource = `(select 1) one left join files f on ${liveReadme} left join readme_cards k on k.blob_id = f.blob_id`

const cardRow = insertSelected('readme_cards', {
  blobId: sql('b.id'),
  facts: param.json(),
  tags: param.texts(),
  labels: param.texts(),
  sources: param.json(),
  data: param.json.orNull(),
})

/** Equal bytes may have been linked to another blob than the one that was read. */
const keep = statement({
  name: 'readme-card-keep',
  params: { ...cardRow.params, repoId: param.text(), storageKey: param.text(), sha256: param.text.orNull() },
  text: `${cardRow.sql} from files f join blobs b on b.id = f.blob_id
    where ${liveReadme} and (b.storage_key = :storageKey or (b.sha256 is not null and b.sha256 = :sha256))
    on conflict (blob_id) do nothing`,
})

/** Keeps the card if the repo has these bytes as its README.md now. The caller has locked the repo. */
export async function keepCard(
  tx: Querier,
  repoId: string,
  { storageKey, sha256, card: { facts, tags, labels, sources, data } }: ReadReadme,
): Promise<void> {
  const documents = { facts: JSON.stringify(facts), sources: JSON.stringify(sources), data }
  await tx.query(keep, { repoId, storageKey, sha256, tags, labels, ...documents })
}

const show = statement({
  name: 'repo-card-show',
  params: { repoId: param.text() },
  text: `update repos set ${readmeColumns} from ${readmeSource} where repos.id = :repoId and repos.card_pending`,
})

/** Shows the card of a repo that waited for it. The caller has locked the repo. */
export async function showCard(tx: Tx, repoId: string): Promise<void> {
  await tx.query(show, { repoId })
}

const forget = statement({
  name: 'repo-card-unread',
  params: { blobId: param.text() },
  text: `update repos r set card_pending = true from files f
    where f.blob_id = :blobId and f.path = '${README_PATH}' and f.to_seq is null and r.id = f.repo_id
      and not exists (select 1 from readme_cards k where k.blob_id = f.blob_id)`,
})

/** Has a job read the READMEs that are these bytes by now, and whose card was kept for others. */
export async function rereadCards(tx: Tx, blobId: string): Promise<void> {
  await tx.query(forget, { blobId })
}
