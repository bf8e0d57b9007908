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

/** Owner and slug of a reference to this hub; null for other schemes and malformed references. */
export function ownDataset(ref: string): { readonly owner: string; readonly slug: string } | null {
  if (!ref.startsWith(OWN_SCHEME)) return null
  const name = fullNameText.safeParse(ref.slice(OWN_SCHEME.length))
  if (!name.success) return null
  const [owner = '', slug = ''] = name.data.split('/')
  return owner.length <= 64 && slug.length <= 64 ? { owner, slug } : null
}

const isDatasetRef = (ref: string) => ownDataset(ref) !== null || forms.some((form) => form.test(ref))

export const datasetRefText = z
  .string()
  .max(MAX_LENGTH)
  .refine(
    isDatasetRef,
    'must be svc://owner/repo, exthub://namespace/name or codehost://owner/repo with an optional @ref and /subpath',
  )
