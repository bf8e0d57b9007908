/** Where each page of a lab is. */
import { type PageName, pagePath } from '@hub/formats/page-paths'
import type { Lab } from './lab.ts'

/** `null`: needs models of real robots, or a recorded dataset. */
export function pageAddresses(lab: Lab): Record<PageName, string | null> {
  const [owner = '', repo = ''] = lab.robot.split('/')
  const [, dataset = ''] = lab.dataset.split('/')
  return {
    home: '/',
    repos: '/repos',
    newRepo: '/new',
    runs: '/runs',
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
    settings: '/settings',
    keys: '/settings/keys',
    audit: '/settings/audit',
    orgs: '/settings/orgs',
    org: pagePath('org', { handle: lab.org }),
    account: pagePath('account', { handle: lab.ada.handle }),
    run: pagePath('run', { id: lab.run }),
    check: pagePath('check', { id: lab.check }),
    endpoint: pagePath('endpoint', { id: lab.endpoint }),
    hold: pagePath('hold', { id: lab.hold }),
    repo: pagePath('repo', { owner, repo }),
    repoFiles: pagePath('repoFiles', { owner, repo, path: 'meshes' }),
    repoEdit: pagePath('repoEdit', { owner, repo, path: 'README.md' }),
    repoHistory: pagePath('repoHistory', { owner, repo: dataset }),
    repoFileHistory: pagePath('repoFileHistory', { owner, repo, path: 'README.md' }),
    repoCompare: pagePath('repoCompare', { owner, repo }),
    repoRuns: pagePath('repoRuns', { owner, repo }),
    repoSettings: pagePath('repoSettings', { owner, repo }),
    repoRobot: null,
    repoEpisodes: null,
    repoRollouts: pagePath('repoRollouts', { owner, repo }),
    repoMap: pagePath('repoMap', { owner, repo: dataset, robotOwner: owner, robot: repo }),
  }
}
