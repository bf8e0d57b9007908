/**
 * The addresses of the hub's pages: one table for the pages themselves and for the code that prints their addresses.
 * Pure, so that a browser can import it.
 */

/**
 * A segment that begins with `:` is a parameter; one that ends with `*` takes the rest of the path. Ids have a `_`,
 * which no slug has, so that `/runs/:id` is never a repo. Accounts have an `@`, because a handle may be any word that
 * is not reserved, such as `runs`. Paths are tried in the order of this table.
 */
export const pagePaths = {
  home: '/',
  repos: '/repos',
  newRepo: '/new',
  runs: '/runs',
  // Not below `/runs`: a repo of an account with that handle could have the address.
  newRun: '/new-run',
  checks: '/checks',
  endpoints: '/endpoints',
  sessions: '/sessions',
  holds: '/holds',
  spend: '/spend',
  operator: '/operator',
  developers: '/developers',
  login: '/login',
  redeem: '/redeem',
  account: '/@:handle',
  run: '/runs/:id',
  check: '/checks/:id',
  endpoint: '/endpoints/:id',
  hold: '/holds/:id',
  settings: '/settings',
  keys: '/settings/keys',
  audit: '/settings/audit',
  orgs: '/settings/orgs',
  org: '/settings/orgs/:handle',
  repo: '/:owner/:repo',
  repoFiles: '/:owner/:repo/tree/:path*',
  repoEdit: '/:owner/:repo/edit/:path*',
  repoHistory: '/:owner/:repo/history',
  repoFileHistory: '/:owner/:repo/history/:path*',
  repoCompare: '/:owner/:repo/compare',
  repoRuns: '/:owner/:repo/runs',
  repoSettings: '/:owner/:repo/settings',
  repoRobot: '/:owner/:repo/robot',
  repoEpisodes: '/:owner/:repo/episodes',
  repoRollouts: '/:owner/:repo/rollouts',
  repoMap: '/:owner/:repo/map/:robotOwner/:robot',
} as const

export type PageName = keyof typeof pagePaths

type ParamOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamOf<`/${More}`>
    : Rest extends `${infer Name}*`
      ? Name
      : Rest
  : never

export type PageParams<Name extends PageName> = Readonly<Record<ParamOf<(typeof pagePaths)[Name]>, string>>

/** The path of a page with its parameters, each percent-encoded; the slashes in a `*` parameter stay. */
export function pagePath<Name extends PageName>(name: Name, params: PageParams<Name>): string {
  const given: Readonly<Record<string, string>> = params
  return pagePaths[name].replace(/:(\w+)(\*?)/g, (_, param: string, rest: string) => {
    const value = given[param] ?? ''
    return rest === '' ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/')
  })
}

export interface PageMatch {
  readonly name: PageName
  readonly params: Readonly<Record<string, string>>
}

/** Parameters named `id` match only with a `_`, handles and slugs only without one. */
const patternOf = (path: string) =>
  new RegExp(
    `^${path.replace(/:(\w+)(\*?)/g, (_, param: string, rest: string) =>
      rest === '' ? `(?<${param}>${param === 'id' ? '[a-z]+_[^/]+' : '[^/_@]+'})` : `(?<${param}>.*)`,
    )}/?$`,
  )
const patterns = Object.entries(pagePaths).map(([name, path]) => ({ name: name as PageName, pattern: patternOf(path) }))

/** The page at a path (percent-encoded, without query), and its parameters; null if there is none. */
export function matchPage(path: string): PageMatch | null {
  for (const { name, pattern } of patterns) {
    const match = pattern.exec(path)
    if (!match) continue
    try {
      const params = Object.entries(match.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)])
      return { name, params: Object.fromEntries(params) }
    } catch {
      return null
    }
  }
  return null
}

const pagesByPrefix = { run: 'run', check: 'check', ep: 'endpoint', spend: 'hold' } as const
const id = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/
const repo = /^([a-z0-9-]+)\/([a-z0-9-]+)$/

const handle = /^@([a-z0-9-]+)$/

/** Pages that a person asks for by one word. */
export const namedPages = [
  'repos',
  'runs',
  'checks',
  'endpoints',
  'sessions',
  'holds',
  'spend',
  'keys',
  'orgs',
  'audit',
  'settings',
  'developers',
] as const satisfies readonly PageName[]

/**
 * The path of a page by name: `owner/slug`, an id (`run_…`, `check_…`, `ep_…`, `spend_…`), `@handle`, one of
 * `namedPages`, or '' for the home page. Null if there is no such page.
 */
export function pageOf(what: string): string | null {
  if (what === '') return pagePath('home', {})
  const named = namedPages.find((name) => name === what)
  if (named) return pagePath(named, {})
  const [, account] = handle.exec(what) ?? []
  if (account !== undefined) return pagePath('account', { handle: account })
  const [, owner, slug] = repo.exec(what) ?? []
  if (owner !== undefined && slug !== undefined) return pagePath('repo', { owner, repo: slug })
  const [, prefix = ''] = id.exec(what) ?? []
  return isPaged(prefix) ? pagePath(pagesByPrefix[prefix], { id: what }) : null
}

const isPaged = (prefix: string): prefix is keyof typeof pagesByPrefix => Object.hasOwn(pagesByPrefix, prefix)
