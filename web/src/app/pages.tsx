/** Which component shows which page of `packages/formats/src/page-paths.ts`. Each is a chunk of its own. */

import type { PageName } from '@hub/formats/page-paths'
import { type ComponentType, lazy } from 'react'

type Params = Readonly<Record<string, string>>
type PageComponent = ComponentType<{ readonly params: never }>

/** A page's module exports `Page`, which takes the parameters of its address. */
const page = (load: () => Promise<{ Page: PageComponent }>) =>
  lazy(async () => ({ default: (await load()).Page as ComponentType<{ readonly params: Params }> }))

const repos = page(() => import('../pages/repos/repos-page.tsx'))
const notFound = page(() => import('../pages/not-found-page.tsx'))

export const pages: Readonly<Record<PageName, ComponentType<{ readonly params: Params }>>> = {
  home: page(() => import('../pages/home/home-page.tsx')),
  login: page(() => import('../pages/login/login-page.tsx')),
  redeem: page(() => import('../pages/login/redeem-page.tsx')),
  developers: page(() => import('../pages/developers-page.tsx')),
  repos,
  newRepo: page(() => import('../pages/repos/new/new-repo-page.tsx')),
  account: page(() => import('../pages/accounts/account-page.tsx')),
  repo: page(() => import('../pages/repos/overview/repo-page.tsx')),
  repoFiles: page(() => import('../pages/repos/files/files-page.tsx')),
  repoEdit: page(() => import('../pages/repos/edit/edit-page.tsx')),
  repoHistory: page(() => import('../pages/repos/history/history-page.tsx')),
  repoFileHistory: page(() => import('../pages/repos/history/file-history-page.tsx')),
  repoCompare: page(() => import('../pages/repos/history/compare-page.tsx')),
  repoRuns: page(() => import('../pages/repos/runs/repo-runs-page.tsx')),
  repoSettings: page(() => import('../pages/repos/settings/repo-settings-page.tsx')),
  repoRobot: page(() => import('../pages/repos/robot-page.tsx')),
  repoEpisodes: page(() => import('../pages/repos/episodes-page.tsx')),
  repoRollouts: page(() => import('../pages/repos/rollouts/rollouts-page.tsx')),
  repoMap: page(() => import('../pages/repos/maps/map-page.tsx')),
  settings: page(() => import('../pages/accounts/settings-page.tsx')),
  keys: page(() => import('../pages/accounts/keys-page.tsx')),
  audit: page(() => import('../pages/audit/audit-page.tsx')),
  orgs: page(() => import('../pages/accounts/orgs-page.tsx')),
  org: page(() => import('../pages/accounts/org-page.tsx')),
  runs: page(() => import('../pages/runs/runs-page.tsx')),
  newRun: page(() => import('../pages/runs/submit/new-run-page.tsx')),
  run: page(() => import('../pages/runs/run-page.tsx')),
  checks: page(() => import('../pages/checks/checks-page.tsx')),
  check: page(() => import('../pages/checks/check-page.tsx')),
  endpoints: page(() => import('../pages/endpoints/endpoints-page.tsx')),
  endpoint: page(() => import('../pages/endpoints/endpoint-page.tsx')),
  sessions: page(() => import('../pages/endpoints/sessions-page.tsx')),
  holds: page(() => import('../pages/holds/holds-page.tsx')),
  hold: page(() => import('../pages/holds/hold-page.tsx')),
  spend: page(() => import('../pages/spend/spend-page.tsx')),
  operator: page(() => import('../pages/operator-page.tsx')),
}
export const NotFound = notFound
