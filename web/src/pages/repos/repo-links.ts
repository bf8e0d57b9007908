/** Where a link or an image in the Markdown of a repo leads. Pure. */
import { pagePath } from '@hub/formats/page-paths'

/** The Markdown file that the link stands in. */
interface Place {
  readonly owner: string
  readonly repo: string
  /** Path of the file in the repo. */
  readonly path: string
}

export type Target =
  /** A page of the hub, or the same document. */
  | { readonly kind: 'page'; readonly href: string }
  /** The bytes of a file of the repo. */
  | { readonly kind: 'file'; readonly href: string }
  /** Another site. */
  | { readonly kind: 'elsewhere'; readonly href: string }

/** `GET` leads to the bytes of a file, by a signed address. Contract, "Uploads". */
export function resolvePath(owner: string, repo: string, path: string): string {
  const [ownerPart, repoPart] = [owner, repo].map(encodeURIComponent)
  return `/v1/repos/${ownerPart}/${repoPart}/resolve/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** `GET` sends a folder of one version as a ZIP. Contract, "A folder as an archive". */
export function archivePath(owner: string, repo: string, path: string, at: string): string {
  const [ownerPart, repoPart] = [owner, repo].map(encodeURIComponent)
  return `/v1/repos/${ownerPart}/${repoPart}/archive?${new URLSearchParams({ ...(path !== '' && { path }), at })}`
}

/**
 * Null for an address that no page may follow, such as `javascript:`. Relative ones are files of the repo; `/` is its
 * root.
 */
export function targetOf(place: Place, address: string, use: 'link' | 'image'): Target | null {
  // What react-markdown makes of an address that it refuses.
  if (address === '') return null
  if (address.startsWith('#')) return { kind: 'page', href: address }
  if (address.startsWith('//')) return { kind: 'elsewhere', href: `https:${address}` }
  if (/^[a-z][a-z0-9+.-]*:/i.test(address))
    return /^(?:https?|mailto):/i.test(address) ? { kind: 'elsewhere', href: address } : null
  const path = pathIn(place.path, address)
  if (path === null) return null
  const { owner, repo } = place
  return use === 'image'
    ? { kind: 'file', href: resolvePath(owner, repo, path) }
    : { kind: 'page', href: pagePath('repoFiles', { owner, repo, path }) }
}

/** The path in the repo that `address`, written in the file `from`, means; null if it is malformed. */
function pathIn(from: string, address: string): string | null {
  const [written = ''] = address.split(/[?#]/)
  const steps = written.startsWith('/') ? [] : from.split('/').slice(0, -1)
  try {
    for (const step of decodeURIComponent(written).split('/')) {
      if (step === '..') steps.pop()
      else if (step !== '' && step !== '.') steps.push(step)
    }
  } catch {
    return null
  }
  return steps.join('/')
}
