/** The name of a repo of Hugging Face, as an address: `hf://[datasets/]OWNER/NAME[@REVISION]`. */
import { slugOfName } from '@hub/formats/text-rules'
import { LocalError } from '../problem.ts'
import type { RepoName } from '../repo-name.ts'

export interface SourceName {
  readonly type: 'model' | 'dataset'
  /** `owner/name`; old repos have a name alone. */
  readonly repo: string
  /** A branch, a tag or a commit id. */
  readonly revision: string
  /** As it was written. */
  readonly text: string
}

const PART = '[\\w-][\\w.-]{0,95}'
const ADDRESS = new RegExp(`^hf://(?:(datasets|models)/)?(${PART}(?:/${PART})?)(?:@([\\w-][\\w./-]{0,255}))?$`)

/** Rejects any other form with a `LocalError`. */
export function parseSource(text: string): SourceName {
  if (/^hf:\/\/(?:spaces|buckets|kernels)\//.test(text))
    throw new LocalError('Only models and data sets can be imported.')
  const [, place, repo, revision = 'main'] = ADDRESS.exec(text) ?? []
  if (repo === undefined || revision.split('/').some((part) => /^\.*$/.test(part)))
    throw new LocalError(
      `${JSON.stringify(text.slice(0, 200))} is not hf://OWNER/NAME or hf://datasets/OWNER/NAME, with @REVISION or without.`,
    )
  return { type: place === 'datasets' ? 'dataset' : 'model', repo, revision, text }
}

/** A repo of this hub, and its name as clients of Hugging Face have it. */
export interface ImportTarget extends RepoName {
  readonly hfName: string
}

/** The repo of the same name; handles and slugs have no capitals, and `-` for `_` and `.`. */
export function targetOf({ repo, text }: SourceName): ImportTarget {
  const [owner = '', name] = repo.split('/')
  if (name === undefined) throw new LocalError(`${text} has no owner: name the repo that it becomes, OWNER/NAME.`)
  return { owner: slugOfName(owner), slug: slugOfName(name), hfName: name }
}
