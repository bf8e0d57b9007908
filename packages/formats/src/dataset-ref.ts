/** References to datasets, by format only: the executor resolves references outside this hub. Spec, "DatasetRef". */
import { z } from 'zod'
import { fullNameText } from './text-rules.ts'

const MAX_LENGTH = 1024
const OWN_SCHEME = 'svc://'

const WORD = '[A-Za-z0-9][A-Za-z0-9._-]{0,95}'
/** A slash begins the subpath, so a ref contains none; a subpath cannot leave its root. */
const REF = '[A-Za-z0-9_][A-Za-z0-9._+-]{0,254}'
const SEGMENT = '(?!\\.{1,2}(?:/|$))[^\\s\\p{C}/\\\\?#@]+'

const forms = [
  new RegExp(`^exthub://${WORD}/${WORD}$`, 'u'),
  new RegExp(`^codehost://${WORD}/${WORD}(?:@${REF})?(?:/${SEGMENT})*$`, 'u'),
]

/** A data set of this hub, and the name of the selection of its episodes that is meant; absent for all of them. */
interface OwnDataset {
  readonly owner: string
  readonly slug: string
  readonly selection?: string
}

/** The name of a selection of episodes: 1 to 64 lower-case letters, digits and `._-`. */
export const selectionNameText = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1 to 64 lower-case letters, digits and ._-, not starting with ._-')

/** What a reference to this hub names; null for other schemes and malformed references. */
export function ownDataset(ref: string): OwnDataset | null {
  if (!ref.startsWith(OWN_SCHEME)) return null
  const [text = '', selection, ...rest] = ref.slice(OWN_SCHEME.length).split('#')
  const name = fullNameText.safeParse(text)
  if (!name.success || rest.length > 0) return null
  if (selection !== undefined && !selectionNameText.safeParse(selection).success) return null
  const [owner = '', slug = ''] = name.data.split('/')
  return owner.length <= 64 && slug.length <= 64 ? { owner, slug, ...(selection !== undefined && { selection }) } : null
}

const isDatasetRef = (ref: string) => ownDataset(ref) !== null || forms.some((form) => form.test(ref))

export const datasetRefText = z
  .string()
  .max(MAX_LENGTH)
  .refine(
    isDatasetRef,
    'must be svc://owner/repo with an optional #selection, exthub://namespace/name or codehost://owner/repo ' +
      'with an optional @ref and /subpath',
  )
